import { characters } from "#src/content/jsonnet/Text.ts"
import {
  ArrayValue,
  Builtin,
  Closure,
  type Machine,
  named,
  ObjectValue,
  type Slot,
  Thunk,
  type Value
} from "#src/content/jsonnet/Value.ts"

const none: ReadonlyArray<Slot> = []
const nothing = new ObjectValue([])
const still = new Builtin("nothing", [], () => null)

/**
 * The arguments of a call to the library, by the position of the parameter. An argument of the wrong type fails the
 * program.
 */
export class Arguments {
  readonly machine: Machine
  readonly at: number
  readonly #name: string
  readonly #slots: ReadonlyArray<Slot | undefined>

  constructor(machine: Machine, name: string, slots: ReadonlyArray<Slot | undefined>, at: number) {
    this.machine = machine
    this.at = at
    this.#name = name
    this.#slots = slots
  }

  fail(what: string): null {
    return this.machine.fail(this.at, `std.${this.#name}: ${what}`)
  }

  #wrong(what: string, value: Value): void {
    this.fail(`needs ${what}, and not ${named(value)}`)
  }

  /** An argument, possibly not computed yet. */
  slot(place: number): Slot {
    return this.#slots[place] ?? null
  }

  /** Whether an argument was given. */
  has(place: number): boolean {
    return this.#slots[place] !== undefined
  }

  value(place: number): Value {
    return this.machine.force(this.slot(place), this.at)
  }

  force(slot: Slot): Value {
    return this.machine.force(slot, this.at)
  }

  number(place: number, otherwise?: number): number {
    if (otherwise !== undefined && !this.has(place)) return otherwise
    return this.toNumber(this.value(place))
  }

  toNumber(value: Value): number {
    if (typeof value === "number") return value
    this.#wrong("a number", value)
    return 0
  }

  integer(place: number, otherwise?: number): number {
    const value = this.number(place, otherwise)
    if (Number.isInteger(value)) return value
    this.fail("needs a whole number")
    return 0
  }

  boolean(place: number, otherwise?: boolean): boolean {
    if (otherwise !== undefined && !this.has(place)) return otherwise
    return this.toBoolean(this.value(place))
  }

  toBoolean(value: Value): boolean {
    if (typeof value !== "boolean") this.#wrong("true or false", value)
    return value === true
  }

  /** A text argument, charged by its length. */
  string(place: number, otherwise?: string): string {
    return otherwise !== undefined && !this.has(place) ? otherwise : this.toText(this.value(place))
  }

  toText(value: Value): string {
    if (typeof value === "string") return this.machine.look(value.length) ? value : ""
    this.#wrong("a string", value)
    return ""
  }

  /** Charges for finding a pattern in a text, which in the worst case takes the product of their lengths. */
  searches(text: string, pattern: string): boolean {
    return this.machine.look(text.length * (1 + (pattern.length >> 3)))
  }

  /** The items of an array argument, charged by their number. */
  items(place: number): ReadonlyArray<Slot> {
    return this.toItems(this.value(place))
  }

  toItems(value: Value): ReadonlyArray<Slot> {
    if (value instanceof ArrayValue) return this.machine.step(value.items.length >> 2) ? value.items : none
    this.#wrong("an array", value)
    return none
  }

  /** The items of an array argument, or the characters of a text argument. */
  sequence(place: number): ReadonlyArray<Slot> {
    const value = this.value(place)
    if (value instanceof ArrayValue) return this.toItems(value)
    if (typeof value === "string") return this.characters(value)
    this.#wrong("an array or a string", value)
    return none
  }

  characters(text: string): ReadonlyArray<string> {
    return this.machine.room(text.length) && this.machine.step(text.length >> 3) ? characters(text) : []
  }

  object(place: number): ObjectValue {
    const value = this.value(place)
    if (value instanceof ObjectValue) return value
    this.#wrong("an object", value)
    return nothing
  }

  function(place: number): Closure | Builtin {
    const value = this.value(place)
    if (value instanceof Closure || value instanceof Builtin) return value
    this.#wrong("a function", value)
    return still
  }

  /** Calls a function that was passed as an argument. */
  call(of: Closure | Builtin, ...words: ReadonlyArray<Slot>): Value {
    return this.machine.call(of, words, this.at)
  }

  /** The same, as a lazy value. */
  later(of: Closure | Builtin, ...words: ReadonlyArray<Slot>): Slot {
    return new Thunk(() => this.call(of, ...words))
  }

  /** An array as the result, charged by its length. */
  array(items: ReadonlyArray<Slot>): Value {
    return this.machine.room(items.length) ? new ArrayValue(items) : null
  }

  /** A text as the result, charged by its length. */
  made(text: string): Value {
    return this.machine.look(text.length) ? text : null
  }
}

/** Defines a function of the library. `parameters`: the names of its parameters, optional ones with a `?`. */
export const define = (
  name: string,
  parameters: string,
  body: (given: Arguments) => Value
): readonly [string, Builtin] => [
  name,
  new Builtin(
    name,
    parameters.split(" ").filter((word) => word !== "").map((word) => ({
      name: word.replace("?", ""),
      isOptional: word.endsWith("?")
    })),
    (machine, slots, at) => body(new Arguments(machine, name, slots, at))
  )
]
