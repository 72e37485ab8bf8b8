import type { Budget } from "#src/content/Budget.ts"
import { begin } from "#src/content/jsonnet/Calls.ts"
import { evaluate } from "#src/content/jsonnet/Evaluate.ts"
import type { Surroundings } from "#src/content/jsonnet/Globals.ts"
import { place } from "#src/content/jsonnet/Malformed.ts"
import { inline, json, jsonText } from "#src/content/jsonnet/Manifest.ts"
import { add } from "#src/content/jsonnet/Operators.ts"
import type { Node, Program } from "#src/content/jsonnet/Program.ts"
import { type Builtin, Closure, Env, type Machine, type Slot, Thunk, type Value } from "#src/content/jsonnet/Value.ts"
import type { Schema } from "effect"

/** How deep expressions and calls may be nested: this takes less than half of the stack, on Node and on Deno. */
const deepest = 360

/** The cost of an entry of a list or object, in characters. */
const placed = 8

const nowhere = { self: undefined, below: 0, root: undefined }

/** Evaluates a program within a rendering's budget. */
class Run implements Machine {
  readonly #budget: Budget
  readonly #program: Program
  readonly #surroundings: Surroundings
  #depth = 0

  constructor(budget: Budget, program: Program, around: (machine: Machine) => Surroundings) {
    this.#budget = budget
    this.#program = program
    this.#surroundings = around(this)
  }

  /** The program's result, as JSON. */
  result(): Schema.Json {
    const { root } = this.#program
    const made = this.evaluate(root, new Env(undefined, this.#surroundings.names, nowhere))
    // A program that is a function is called with its own defaults.
    return json(this, made instanceof Closure ? this.call(made, [], root.at) : made, root.at)
  }

  fail(at: number, what: string): null {
    if (this.#budget.failure === undefined)
      this.#budget.fail(`The jsonnet fails at ${place(this.#program.source, at)}: ${what}`)
    return null
  }

  step(count = 1): boolean {
    return this.#budget.step(count)
  }

  look(characters: number): boolean {
    return this.#budget.look(characters)
  }

  room(places: number): boolean {
    return this.#budget.look(places * placed)
  }

  write(characters: number): boolean {
    return this.#budget.write(characters)
  }

  enter(at: number): boolean {
    if (this.#depth >= deepest) this.fail(at, `it goes more than ${deepest} deep, or on without end`)
    if (this.#budget.failure !== undefined) return false
    this.#depth++
    return true
  }

  leave(): void {
    this.#depth--
  }

  evaluate(node: Node, env: Env): Value {
    if (node._tag === "Literal") return node.value
    if (!this.enter(node.at)) return null
    const value = evaluate(this, node, env)
    this.#depth--
    return value
  }

  later(node: Node, env: Env): Slot {
    return node._tag === "Literal" ? node.value : new Thunk(() => this.evaluate(node, env))
  }

  force(slot: Slot, at: number): Value {
    if (!(slot instanceof Thunk)) return slot
    if (slot.value !== undefined) return slot.value
    const { make } = slot
    if (make === undefined) return this.fail(at, "a value is made of itself, without end")
    slot.make = undefined
    slot.value = make()
    return slot.value
  }

  call(of: Closure | Builtin, words: ReadonlyArray<Slot>, at: number): Value {
    if (!this.enter(at)) return null
    const next = begin(this, of, words, [], at)
    const value = "env" in next ? this.evaluate(next.body, next.env) : next.value
    this.#depth--
    return value
  }

  text(value: Value, at: number): string {
    return typeof value === "string" ? value : jsonText(this, value, inline, at)
  }

  add(left: Value, right: Value, at: number): Value {
    return add(this, left, right, at)
  }

  external(name: string): Value | undefined {
    return this.#surroundings.external(name)
  }
}

/**
 * Runs a program and answers its result as JSON. If it fails, the budget has the failure, and the answer is
 * `undefined`.
 */
export const run = (
  program: Program,
  around: (machine: Machine) => Surroundings,
  budget: Budget
): Schema.Json | undefined => {
  const made = new Run(budget, program, around).result()
  return budget.failure === undefined ? made : undefined
}
