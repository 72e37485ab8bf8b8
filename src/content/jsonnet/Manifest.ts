import { check, member, namesOf } from "#src/content/jsonnet/Objects.ts"
import { numeral } from "#src/content/jsonnet/Text.ts"
import { ArrayValue, type Machine, named, ObjectValue, type Value } from "#src/content/jsonnet/Value.ts"
import type { Schema } from "effect"

/** Replaces what JSON text cannot hold in our stores or on the wire: lone surrogates and NUL. */
const clean = (text: string): string => text.replaceAll("\u0000", "\ufffd").toWellFormed()

/** A value as JSON, without hidden fields. This is what forces all of it to be computed. */
export const json = (machine: Machine, value: Value, at: number): Schema.Json => {
  if (typeof value === "string") return machine.write(value.length) ? clean(value) : null
  if (value === null || typeof value === "boolean") return value
  // JSON has no negative zero.
  if (typeof value === "number") return value + 0
  if (!machine.write(2) || !machine.enter(at)) return null
  const made: Schema.Json = value instanceof ArrayValue
    ? list(machine, value, at)
    : value instanceof ObjectValue
    ? object(machine, value, at)
    : machine.fail(at, "a function is no JSON")
  machine.leave()
  return made
}

const list = (machine: Machine, { items }: ArrayValue, at: number): Schema.Json => {
  const made: Array<Schema.Json> = []
  for (const item of items) {
    if (!machine.step()) break
    made.push(json(machine, machine.force(item, at), at))
  }
  return made
}

const object = (machine: Machine, value: ObjectValue, at: number): Schema.Json => {
  check(machine, value)
  const made: Array<readonly [string, Schema.Json]> = []
  for (const name of namesOf(machine, value)) {
    if (!machine.step() || !machine.write(name.length)) break
    made.push([clean(name), json(machine, member(machine, value, name, at) ?? null, at)])
  }
  // Not by assignment, which would set the prototype for a key `__proto__`.
  return Object.fromEntries(made)
}

/** The layout of JSON as text. */
export interface Style {
  readonly indent: string
  readonly line: string
  readonly colon: string
  readonly comma: string
  /** What is between the brackets of an empty list or object. */
  readonly empty: (margin: string) => string
}

/** On one line, as values appear inside texts. */
export const inline: Style = { indent: "", line: "", colon: ": ", comma: ", ", empty: () => " " }

export const minified: Style = { indent: "", line: "", colon: ":", comma: ",", empty: () => "" }

/** The layout of `std.manifestJsonEx`. */
export const lines = (indent: string, line: string, colon: string): Style => ({
  indent,
  line,
  colon,
  comma: `,${line}`,
  empty: (margin) => `${line}${line}${margin}`
})

/** A text in quotes, with escapes for all that is a control character, not only where JSON asks for them. */
export const quoted = (text: string): string =>
  JSON.stringify(text).replace(/[\u007f-\u009f]/g, (letter) => `\\u00${letter.charCodeAt(0).toString(16)}`)

/** A value as a JSON text. */
export const jsonText = (machine: Machine, value: Value, style: Style, at: number): string => {
  let text = ""

  const say = (said: string): boolean => {
    if (!machine.look(said.length)) return false
    text += said
    return true
  }

  const each = (
    names: ReadonlyArray<string | number>,
    [open, close]: readonly [string, string],
    margin: string,
    one: (name: string | number, inner: string) => void
  ): void => {
    if (names.length === 0) {
      say(`${open}${style.empty(margin)}${close}`)
      return
    }
    if (!machine.look(margin.length + style.indent.length)) return
    const inner = margin + style.indent
    say(open + style.line)
    for (const [index, name] of names.entries()) {
      if (!machine.step() || !say((index === 0 ? "" : style.comma) + inner)) return
      one(name, inner)
    }
    say(style.line + margin + close)
  }

  const walk = (value: Value, margin: string): void => {
    if (typeof value === "string") say(quoted(value))
    else if (value === null || typeof value === "boolean") say(String(value))
    else if (typeof value === "number") say(numeral(value))
    else if (machine.enter(at)) {
      if (value instanceof ArrayValue) {
        const { items } = value
        each(
          items.map((_, n) => n),
          ["[", "]"],
          margin,
          (n, inner) => walk(machine.force(items[Number(n)] ?? null, at), inner)
        )
      } else if (value instanceof ObjectValue) {
        check(machine, value)
        each(namesOf(machine, value), ["{", "}"], margin, (name, inner) => {
          if (say(quoted(String(name)) + style.colon)) walk(member(machine, value, String(name), at) ?? null, inner)
        })
      } else machine.fail(at, `${named(value)} is no JSON`)
      machine.leave()
    }
  }

  walk(value, "")
  return text
}
