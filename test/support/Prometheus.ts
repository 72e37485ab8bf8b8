import { assert } from "@effect/vitest"

/** One family of the Prometheus text format (version 0.0.4), its samples by their labels as written. */
export interface Family {
  readonly type: string
  readonly help: string | undefined
  readonly samples: ReadonlyMap<string, number>
}

const comment = /^# (HELP|TYPE) ([a-zA-Z_:][a-zA-Z0-9_:]*) (.+)$/
const sample =
  /^([a-zA-Z_:][a-zA-Z0-9_:]*)(\{(?:[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\[\\"n])*",?)*\})? (-?[0-9.]+(?:e[+-]?[0-9]+)?|NaN|[+-]Inf)$/

const numeric = (text: string): number => Number(text.replace("Inf", "Infinity"))

/**
 * Reads the text, and fails on what a Prometheus server would refuse: a line that is none, a family that comes twice or has no type, samples
 * that are not their family's, a label set that comes twice.
 */
export const parse = (text: string): ReadonlyMap<string, Family> => {
  assert.isTrue(text.endsWith("\n"))
  const families = new Map<string, { type: string; help: string | undefined; samples: Map<string, number> }>()
  let help: readonly [string, string] | undefined
  let current: { readonly name: string; readonly family: { type: string; samples: Map<string, number> } } | undefined
  for (const line of text.slice(0, -1).split("\n")) {
    const [, kind, named = "", rest = ""] = comment.exec(line) ?? []
    if (kind === "HELP") {
      help = [named, rest]
      continue
    }
    if (kind === "TYPE") {
      assert.match(rest, /^(counter|gauge|histogram|summary)$/)
      assert.isFalse(families.has(named), `${named} comes twice`)
      const family = { type: rest, help: help?.[0] === named ? help[1] : undefined, samples: new Map<string, number>() }
      families.set(named, family)
      current = { name: named, family }
      continue
    }
    const [, name = "", labels = "", value = ""] = sample.exec(line) ?? assert.fail(`not a sample: ${line}`)
    const suffixes = current?.family.type === "histogram" ? ["_bucket", "_sum", "_count"] : [""]
    assert.include(suffixes.map((suffix) => `${current?.name}${suffix}`), name)
    assert.isFalse(current?.family.samples.has(name + labels), `${name}${labels} comes twice`)
    current?.family.samples.set(name + labels, numeric(value))
  }
  return families
}
