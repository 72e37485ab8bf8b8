import type { Application, Node } from "#src/content/jsonnet/Program.ts"
import { Builtin, Closure, Env, type Machine, named, type Slot, type Value } from "#src/content/jsonnet/Value.ts"

type Named = ReadonlyArray<readonly [string, Slot]>

/** What remains of a call: the function's body to evaluate in `env`, or the finished value. */
export type Next = { readonly body: Node; readonly env: Env } | { readonly value: Value }

/** The arguments in the order of the parameters; `undefined` if they do not fit them. */
const ordered = (
  machine: Machine,
  parameters: ReadonlyArray<{ readonly name: string; readonly isOptional: boolean }>,
  words: ReadonlyArray<Slot>,
  by: Named,
  at: number
): ReadonlyArray<Slot | undefined> | undefined => {
  const refuse = (what: string): undefined => {
    machine.fail(at, what)
    return undefined
  }
  if (words.length > parameters.length)
    return refuse(`a function of ${parameters.length} parameters is given ${words.length}`)
  const found: Array<Slot | undefined> = parameters.map((_, n) => words[n])
  for (const [name, slot] of by) {
    const place = parameters.findIndex((parameter) => parameter.name === name)
    if (place < 0) return refuse(`the function has no parameter "${name.slice(0, 80)}"`)
    if (found[place] !== undefined) return refuse(`the parameter "${name.slice(0, 80)}" is given twice`)
    found[place] = slot
  }
  const missing = parameters.find(({ isOptional }, n) => !isOptional && found[n] === undefined)
  return missing === undefined ? found : refuse(`the parameter "${missing.name.slice(0, 80)}" is not given`)
}

/**
 * Begins a call. A built-in function is run to its end; a program's own function is left for the caller to evaluate.
 */
export const begin = (
  machine: Machine,
  of: Closure | Builtin,
  words: ReadonlyArray<Slot>,
  by: Named,
  at: number,
  strict = false
): Next => {
  if (!machine.step(1 + of.parameters.length + words.length + by.length)) return { value: null }
  if (of instanceof Builtin) {
    const found = ordered(machine, of.parameters, words, by, at)
    // A built-in takes more of the stack than an expression does.
    if (found === undefined || !machine.enter(at)) return { value: null }
    const value = of.run(machine, found, at)
    machine.leave()
    return { value }
  }
  const parameters = of.parameters.map(({ name, otherwise }) => ({ name, isOptional: otherwise !== undefined }))
  const found = ordered(machine, parameters, words, by, at)
  if (found === undefined) return { value: null }
  const names = new Map<string, Slot>()
  const env = new Env(of.env, names, of.env)
  for (const [n, { name, otherwise }] of of.parameters.entries()) {
    names.set(name, found[n] ?? (otherwise === undefined ? null : machine.later(otherwise, env)))
  }
  if (strict) { for (const slot of names.values()) machine.force(slot, at) }
  return { body: of.body, env }
}

/** Begins a call that is written in the program. */
export const applied = (machine: Machine, node: Application, env: Env): Next => {
  const of = machine.evaluate(node.of, env)
  if (!(of instanceof Closure || of instanceof Builtin))
    return { value: machine.fail(node.at, `${named(of)} is no function`) }
  const words = node.words.map((word) => machine.later(word, env))
  const by = node.named.map(([name, word]) => [name, machine.later(word, env)] as const)
  return begin(machine, of, words, by, node.at, node.strict)
}
