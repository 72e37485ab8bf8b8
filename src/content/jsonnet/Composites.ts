import type { Clause, Node, ObjectLiteral } from "#src/content/jsonnet/Program.ts"
import {
  ArrayValue,
  Env,
  type Field,
  type Machine,
  named,
  ObjectValue,
  type Value
} from "#src/content/jsonnet/Value.ts"

/** The environments of all turns of a comprehension. */
const turns = (machine: Machine, clauses: ReadonlyArray<Clause>, env: Env): ReadonlyArray<Env> => {
  let all: ReadonlyArray<Env> = [env]
  for (const clause of clauses) {
    const next: Array<Env> = []
    for (const around of all) {
      if (!machine.step()) return []
      if (clause._tag === "When") {
        const held = machine.evaluate(clause.condition, around)
        if (typeof held !== "boolean") machine.fail(clause.condition.at, `a condition is ${named(held)}`)
        if (held === true) next.push(around)
        continue
      }
      if (!machine.enter(clause.of.at)) return []
      const of = machine.evaluate(clause.of, around)
      machine.leave()
      if (!(of instanceof ArrayValue)) {
        machine.fail(clause.of.at, `for goes through an array, and not ${named(of)}`)
        return []
      }
      if (!machine.step(of.items.length)) return []
      for (const item of of.items) next.push(new Env(around, new Map([[clause.name, item]]), around))
    }
    all = next
  }
  return all
}

export const arrayOf = (
  machine: Machine,
  { body, clauses }: Node & { readonly _tag: "Comprehension" },
  env: Env
): ArrayValue => new ArrayValue(turns(machine, clauses, env).map((turn) => machine.later(body, turn)))

/** Makes an object from its literal. The names of its fields are computed now, its values when they are needed. */
export const objectFrom = (machine: Machine, node: ObjectLiteral, around: Env): Value => {
  const { asserts, binds, isRoot, members } = node
  const fields = new Map<string, Field>()

  for (const env of turns(machine, node.clauses, around)) {
    for (const { adds, body, name: label, visibility } of members) {
      if (!machine.step()) return null
      const name: Value = machine.evaluate(label, env)
      if (name === null) continue
      if (typeof name !== "string")
        return machine.fail(label.at, `a field has a text for a name, and not ${named(name)}`)
      if (fields.has(name)) return machine.fail(label.at, `the field "${name.slice(0, 80)}" is there twice`)
      fields.set(name, { adds, visibility, body, env })
    }
  }
  return machine.room(fields.size)
    ? new ObjectValue([{ fields, binds, asserts, isRoot, env: node.clauses.length > 0 ? undefined : around }])
    : null
}
