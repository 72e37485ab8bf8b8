import type { Assertion, Bind, Node, Parameter, Visibility } from "#src/content/jsonnet/Program.ts"

/** The value of an expression. Numbers are finite. */
export type Value = null | boolean | number | string | ArrayValue | ObjectValue | Closure | Builtin

/** A value, or one that is computed when it is first needed. */
export type Slot = Value | Thunk

/** A lazy value. `make` is removed once it has been computed. */
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

/** The environment of an expression: the names that are bound there, and the object that it is in. */
export class Env {
  readonly around: Env | undefined
  readonly names: ReadonlyMap<string, Slot>
  readonly self: ObjectValue | undefined
  /** How many layers of `self`, counted from the lowest, `super` refers to. */
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

/** A field in one layer of an object: an expression that is evaluated for the whole object, or a value. */
export type Field =
  & { readonly adds: boolean; readonly visibility: Visibility }
  & ({ readonly body: Node; readonly env: Env } | { readonly slot: Slot })

/** One of the object literals of which an object is the sum. */
export interface Layer {
  readonly fields: ReadonlyMap<string, Field>
  readonly binds: ReadonlyArray<Bind>
  readonly asserts: ReadonlyArray<Assertion>
  readonly isRoot: boolean
  readonly env: Env | undefined
}

/**
 * An object: layers, of which later ones override earlier ones. Fields that have been computed for this sum are cached.
 */
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

/** A built-in function. A missing argument is `undefined`. */
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
 * The evaluator. Every loop and recursion asks it whether it may go on; after a failure every value is `null` and
 * nothing goes on. `at`: the place in the program that a failure names.
 */
export interface Machine {
  /** Makes the program fail with this sentence. */
  readonly fail: (at: number, what: string) => null
  /** Charges the budget for steps. Answers whether to go on, as the next four do. */
  readonly step: (count?: number) => boolean
  /** Charges for characters that are scanned or made. */
  readonly look: (characters: number) => boolean
  /** Charges for entries of lists and objects. */
  readonly room: (places: number) => boolean
  /** Charges for characters of the result. */
  readonly write: (characters: number) => boolean
  /** Enters one more level of nesting, if allowed; if it answers `true`, `leave` must follow. */
  readonly enter: (at: number) => boolean
  readonly leave: () => void
  readonly evaluate: (node: Node, env: Env) => Value
  /** An expression as a lazy value. */
  readonly later: (node: Node, env: Env) => Slot
  readonly force: (slot: Slot, at: number) => Value
  readonly call: (of: Closure | Builtin, words: ReadonlyArray<Slot>, at: number) => Value
  /** A value as text: a string is itself, anything else is JSON. */
  readonly text: (value: Value, at: number) => string
  readonly add: (left: Value, right: Value, at: number) => Value
  /** The variable of this name, for `std.extVar`. */
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

/** A value's kind with its article: "an array", "a string". */
export const named = (value: Value): string => {
  const kind = kindOf(value)
  return kind === "null" ? kind : `${/^[ao]/.test(kind) ? "an" : "a"} ${kind}`
}
