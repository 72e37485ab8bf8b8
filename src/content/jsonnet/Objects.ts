import * as Text from "#schemas/Text.ts"
import type { Node, Visibility } from "#src/content/jsonnet/Program.ts"
import {
  type Env,
  Env as Scope,
  type Field,
  type Layer,
  type Machine,
  ObjectValue,
  type Slot,
  Thunk,
  type Value
} from "#src/content/jsonnet/Value.ts"

/** An object with these values as its fields. */
export const objectOf = (
  entries: Iterable<readonly [string, Slot]>,
  visibility: Visibility = "inherited"
): ObjectValue => {
  const fields = new Map<string, Field>()
  for (const [name, slot] of entries) fields.set(name, { adds: false, visibility, slot })
  return new ObjectValue([{ fields, binds: [], asserts: [], isRoot: false, env: undefined }])
}

/** The index of the highest layer below `below` that has the field; -1 if none has. */
const place = (machine: Machine, { layers }: ObjectValue, name: string, below: number): number => {
  let at = below - 1
  while (at >= 0 && layers[at]?.fields.has(name) !== true) at--
  machine.room(below - at)
  return at
}

/** The environment of a layer's expressions: its names, `self`, `super` and `$`. */
const scope = (machine: Machine, object: ObjectValue, at: number, layer: Layer, around: Env): Env => {
  const isOwn = around === layer.env
  const known = isOwn ? object.scopes[at] : undefined
  if (known !== undefined) return known
  const names = new Map<string, Slot>()
  const root = layer.isRoot ? object : around.root
  const made = new Scope(around, names, { self: object, below: at, root })
  if (isOwn) object.scopes[at] = made
  machine.step(1 + layer.binds.length)
  for (const { body, name } of layer.binds) names.set(name, machine.later(body, made))
  return made
}

/** The field's value in the layers below `limit`; `undefined` if none has it. */
export const below = (
  machine: Machine,
  object: ObjectValue,
  name: string,
  limit: number,
  at: number
): Value | undefined => {
  const found = place(machine, object, name, limit)
  const layer = object.layers[found]
  const field = layer?.fields.get(name)
  if (layer === undefined || field === undefined || !machine.enter(at)) return undefined
  const own = "slot" in field
    ? machine.force(field.slot, at)
    : machine.evaluate(field.body, scope(machine, object, found, layer, field.env))
  const inherited = field.adds ? below(machine, object, name, found, at) : undefined
  machine.leave()
  return inherited === undefined ? own : machine.add(inherited, own, at)
}

export const has = (machine: Machine, object: ObjectValue, name: string, limit = object.layers.length): boolean =>
  place(machine, object, name, limit) >= 0

/**
 * Fails if an assertion of the object does not hold. Runs once, and not again while the assertions themselves are
 * evaluated.
 */
export const check = (machine: Machine, object: ObjectValue): void => {
  if (object.isChecked) return
  object.isChecked = true
  const asserted = (condition: Node, env: Env, at: number): boolean => {
    const held = machine.evaluate(condition, env)
    if (typeof held !== "boolean") machine.fail(at, "an assertion is neither true nor false")
    return held === true
  }
  for (const [index, layer] of object.layers.entries()) {
    for (const { at, condition, message } of layer.env === undefined ? [] : layer.asserts) {
      if (layer.env === undefined || !machine.step()) return
      const env = scope(machine, object, index, layer, layer.env)
      if (asserted(condition, env, at)) continue
      machine.fail(
        at,
        message === undefined ? "an assertion does not hold" : machine.text(machine.evaluate(message, env), at)
      )
    }
  }
}

/** The value of a field; `undefined` if there is none. */
export const member = (
  machine: Machine,
  object: ObjectValue,
  name: string,
  at: number
): Value | undefined => {
  let known = object.known.get(name)
  if (known === undefined) {
    if (!has(machine, object, name)) return undefined
    known = new Thunk(() => below(machine, object, name, object.layers.length, at) ?? null)
    object.known.set(name, known)
  }
  return machine.force(known, at)
}

/** Whether a field is visible: the highest layer that sets its visibility decides. */
const isShown = ({ layers }: ObjectValue, name: string): boolean => {
  for (let at = layers.length - 1; at >= 0; at--) {
    const visibility = layers[at]?.fields.get(name)?.visibility ?? "inherited"
    if (visibility !== "inherited") return visibility === "forced"
  }
  return true
}

/** The names of an object's fields, sorted, with or without hidden ones. */
export const namesOf = (machine: Machine, object: ObjectValue, withHidden = false): ReadonlyArray<string> => {
  if (!withHidden && object.shown !== undefined) return object.shown
  const size = object.layers.reduce((sum, { fields }) => sum + fields.size, 0)
  if (!machine.room(size * (withHidden ? 1 : object.layers.length)) || !machine.step(size >> 1)) return []
  const all = new Set(object.layers.flatMap(({ fields }) => [...fields.keys()]))
  const names = [...all].filter((name) => withHidden || isShown(object, name)).toSorted(Text.compare)
  if (!withHidden) object.shown = names
  return names
}
