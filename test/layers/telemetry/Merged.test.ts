import { merged } from "#layers/telemetry/Merged.ts"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"

const Samples = Schema.Array(Schema.Struct({
  family: Schema.Literals(["a_total", "b_total", "c"]),
  label: Schema.Literals(["", "{le=\"1\"}", "{le=\"+Inf\",kind=\"x {y}\"}"]),
  value: Schema.Int
}))
type Samples = typeof Samples.Type

/** A process's text: each family with what it is called, and its samples. */
const textOf = (samples: Samples): string =>
  ["a_total", "b_total", "c"].flatMap((family) => {
    const own = samples.filter((sample) => sample.family === family)
    return own.length === 0 ? [] : [
      `# HELP ${family} what it counts`,
      `# TYPE ${family} counter`,
      ...own.map(({ label, value }) => `${family}${label} ${value}`)
    ]
  }).map((line) => `${line}\n`).join("")

const labelled = (label: string, worker: number) =>
  label === "" ? `{worker="${worker}"}` : `{worker="${worker}",${label.slice(1)}`

describe("the metrics of a server and its workers", () => {
  it.prop(
    "are those of each, a worker's by its number, and every family stands once",
    { server: Samples, workers: Schema.Array(Samples).check(Schema.isMaxLength(3)) },
    ({ server, workers }) => {
      const text = merged(textOf(server), workers.map(textOf))
      const lines = text.split("\n")
      assert.strictEqual(lines.pop(), "")
      const all = [
        server,
        ...workers.map((samples, index) =>
          samples.map((sample) => ({ ...sample, label: labelled(sample.label, index + 1) }))
        )
      ].flat()
      assert.sameMembers(
        lines.filter((line) => !line.startsWith("#")),
        all.map(({ family, label, value }) => `${family}${label} ${value}`)
      )
      const families = new Set(all.map(({ family }) => family))
      assert.sameMembers(
        lines.filter((line) => line.startsWith("#")),
        [...families].flatMap((family) => [`# HELP ${family} what it counts`, `# TYPE ${family} counter`])
      )
      const order = lines.map((line) => line.replace(/^# \w+ /, "").match(/^\w+/)?.[0])
      assert.lengthOf(order.filter((family, index) => family !== order[index - 1]), families.size)
    }
  )
})
