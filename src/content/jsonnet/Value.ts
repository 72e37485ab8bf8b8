import type { Assertion, Bind, Node, Parameter, Visibility } from "#src/content/jsonnet/Program.ts"

/** What an expression is. Numbers are finite. */
export type Value = null | boolean | number | string | ArrayValue | ObjectValue | Closure | Builtin

/** A value, or one that is computed when it is first asked for. */
export type Slot = Value | Thunk

/** A value that nobody has asked for yet; `make` is gone from when someone has. */
export class Thunk {
  value: Value | undefined = undefined
  make: (() => Value) | undefined

  constructor(make: () => Value) {
    this.make = make
  }
}

export class ArrayValue {
  readonly items: ReadonlyArray<Slot>

  constructor(items: ReadonlyArray<Slot>) {
    this.items = items
  }
}

/** The names that mean something at a place of the program, and the object that it stands in. */
export class Env {
  readonly around: Env | undefined
  readonly names: ReadonlyMap<string, Slot>
  readonly self: ObjectValue | undefined
  /** How many of the layers of `self` are `super`. */
  readonly below: number
  readonly root: ObjectValue | undefined

  constructor(around: Env | undefined, names: ReadonlyMap<string, Slot>, of: Pick<Env, "self" | "below" | "root">) {
    this.around = around
    this.names = names
    this.self = of.self
    this.below = of.below
    this.root = of.root
  }
}

/** A field as one layer of an object has it: an expression that is computed for the object it is asked of, or a value. */
export type Field =
  & { readonly adds: boolean; readonly visibility: Visibility }
  & ({ readonly body: Node; readonly env: Env } | { readonly slot: Slot })

/** One of the object literals that an object is the sum of. */
export interface Layer {
  readonly fields: ReadonlyMap<string, Field>
  readonly binds: ReadonlyArray<Bind>
  readonly asserts: ReadonlyArray<Assertion>
  readonly isRoot: boolean
  readonly env: Env | undefined
}

/** Layers, of which a later one overrides an earlier one. What has been computed for this sum is kept. */
export class ObjectValue {
  readonly layers: ReadonlyArray<Layer>
  readonly known = new Map<string, Thunk>()
  readonly scopes: Array<Env | undefined> = []
  isChecked = false
  shown: ReadonlyArray<string> | undefined = undefined

  constructor(layers: ReadonlyArray<Layer>) {
    this.layers = layers
  }
}

export class Closure {
  readonly parameters: ReadonlyArray<Parameter>
  readonly body: Node
  readonly env: Env

  constructor(parameters: ReadonlyArray<Parameter>, body: Node, env: Env) {
    this.parameters = parameters
    this.body = body
    this.env = env
  }
}

/** A function of ours. What is not given is `undefined`. */
export class Builtin {
  readonly name: string
  readonly parameters: ReadonlyArray<{ readonly name: string; readonly isOptional: boolean }>
  readonly run: (machine: Machine, slots: ReadonlyArray<Slot | undefined>, at: number) => Value

  constructor(name: string, parameters: Builtin["parameters"], run: Builtin["run"]) {
    this.name = name
    this.parameters = parameters
    this.run = run
  }
}

/**
 * What computes. Whoever loops or recurses asks it whether to go on; after a failure everything is `null` and nothing goes on. `at` is where
 * in the program a failure is told to be.
 */
export interface Machine {
  /** Ends the program with a sentence. */
  readonly fail: (at: number, what: string) => null
  /** Pays for so many steps. */
  readonly step: (count?: number) => boolean
  /** Pays for characters that are looked at or made. */
  readonly look: (characters: number) => boolean
  /** Pays for places in lists and objects. */
  readonly room: (places: number) => boolean
  /** Pays for characters of the result. */
  readonly write: (characters: number) => boolean
  /** Goes one deeper, if it may; then `leave` is due. */
  readonly enter: (at: number) => boolean
  readonly leave: () => void
  readonly evaluate: (node: Node, env: Env) => Value
  /** A value that is computed later. */
  readonly later: (node: Node, env: Env) => Slot
  readonly force: (slot: Slot, at: number) => Value
  readonly call: (of: Closure | Builtin, words: ReadonlyArray<Slot>, at: number) => Value
  /** A value inside of a text: a string is itself, and anything else is JSON. */
  readonly text: (value: Value, at: number) => string
  readonly add: (left: Value, right: Value, at: number) => Value
  /** What `std.extVar` finds. */
  readonly external: (name: string) => Value | undefined
}

export type Kind = "null" | "boolean" | "number" | "string" | "array" | "object" | "function"

export const kindOf = (value: Value): Kind => {
  if (value === null) return "null"
  if (value instanceof ArrayValue) return "array"
  if (value instanceof ObjectValue) return "object"
  if (value instanceof Closure || value instanceof Builtin) return "function"
  return typeof value === "string" ? "string" : typeof value === "number" ? "number" : "boolean"
}

/** "an array", "a string". */
export const named = (value: Value): string => {
  const kind = kindOf(value)
  return kind === "null" ? kind : `${/^[ao]/.test(kind) ? "an" : "a"} ${kind}`
}
