import { RenderFailed } from "#src/content/RenderFailed.ts"
import { malformed } from "#src/content/template/Malformed.ts"
import { helpers } from "#src/content/template/Helpers.ts"
import { written } from "#src/content/template/helpers/Data.ts"
import { conditionalShows, conditionOfVar } from "#src/content/template/helpers/Logic.ts"
import { type Parens, read, type Row } from "#src/content/template/Operands.ts"
import type { Block, BlockKind, Node, Operand, Partial, Program } from "#src/content/template/Program.ts"
import { type Pay, type Piece, pieces, type Tag } from "#src/content/template/Tags.ts"
import { Result } from "effect"

const deepest = 32

/** Of a value and of its key or place: no block has more to name. */
const mostNames = 2

const kinds: ReadonlyArray<BlockKind> = ["each", "with", "if", "unless"]
const kindsWithZero: ReadonlyMap<BlockKind, BlockKind> = new Map([["if", "zero"], ["unless", "unless-zero"]])
const trims: ReadonlyArray<BlockKind> = ["trim", "trim-left", "trim-right"]

/** Helpers that, used as a block, decide whether it is shown. */
const predicates = ["and", "condition", "contains", "filter", "not", "or"]

/** A block that is still open. Nodes are added to its body, or after `else` to its other branch. */
interface Open {
  readonly head: Pick<Block, "kind" | "of" | "by" | "names">
  /**
   * The name that its closing tag must have. `undefined` for a block of an `else if`, which closes with the one that it
   * continues.
   */
  readonly name: string | undefined
  readonly body: Array<Node>
  readonly otherwise: Array<Node>
  inverse: boolean
  readonly inverted: boolean
}

const helperOf = (word: Operand | Parens | undefined): string | undefined =>
  word?._tag === "Path" && word.parts.length === 1 && word.up === 0 && !word.own ? word.parts[0] : undefined

const pairs = (row: Row): ReadonlyArray<readonly [string, Operand]> | undefined => {
  const named: Array<readonly [string, Operand]> = []
  for (const [key, word] of row.named) {
    const value = argument(word)
    if (value === undefined) return undefined
    named.push([key, value])
  }
  return named
}

const isOfVar = (of: Operand): of is Operand & { readonly _tag: "Call" } =>
  of._tag === "Call" && of.helper === helpers.get("var")

const call = (name: string, row: Row): Operand | undefined => {
  const helper = helpers.get(name)
  if (helper === undefined) return undefined
  const words: Array<Operand> = []
  for (const word of row.words.slice(1)) {
    const value = argument(word)
    if (value === undefined) return undefined
    words.push(value)
  }
  const named = pairs(row)
  if (named === undefined) return undefined
  const places = name === "condition" ? words.flatMap((word, at) => isOfVar(word) ? [at] : []) : []
  return { _tag: "Call", helper: places.length > 0 ? conditionOfVar(new Set(places)) : helper, words, named }
}

/**
 * The value of a row. Several words are a helper's call. A single word is a value, so that data may have a helper's
 * name.
 */
const valueOf = (row: Row): Operand | undefined => {
  const [first, second, third] = row.words
  if (first === undefined) return undefined
  const name = helperOf(first)
  if (row.words.length === 1 && row.named.length === 0) {
    // A single literal names a key, as in Handlebars.
    if (first._tag === "Literal") return { _tag: "Path", up: 0, own: false, parts: [String(first.value)] }
    return first._tag === "Parens" ? argument(first) : first
  }
  if (name !== "lookup") return name === undefined ? undefined : call(name, row)
  if (second === undefined || third === undefined || row.words.length > 3) return undefined
  const of = argument(second)
  const key = argument(third)
  return of === undefined || key === undefined ? undefined : { _tag: "Lookup", of, key }
}

/** Helpers that are called also by their name alone, which data cannot have. */
const alone = ["line-break"]

/** The value of a row that is written. */
const outputOf = (row: Row): Operand | undefined => {
  const name = row.words.length === 1 ? helperOf(row.words[0]) : undefined
  const of = name !== undefined && alone.includes(name) ? call(name, row) : valueOf(row)
  return of !== undefined && isOfVar(of) ? { ...of, helper: written } : of
}

const argument = (word: Operand | Parens): Operand | undefined => {
  if (word._tag !== "Parens") return word
  // A name alone in parentheses is a helper's. All else is read once: read twice, it would double with each depth.
  const name = word.words.length === 1 && word.named.length === 0 ? helperOf(word.words[0]) : undefined
  return (name === undefined ? undefined : call(name, word)) ?? valueOf(word)
}

/** What the end tag of a block repeats: its first word, in which brackets and quotes may hold spaces. */
const called = /^(?:\[(?:\\\]|[^\]])*\]|"(?:\\"|[^"])*"|'(?:\\'|[^'])*'|[^\s|])+/

type Head = Pick<Block, "kind" | "of" | "by" | "names"> & { readonly name: string }

const always: Operand = { _tag: "Literal", value: true }

const countsZero = ({ named }: Row): boolean =>
  named.some(([key, of]) => key === "includeZero" && of._tag === "Literal" && of.value === true)

const head = (tag: Tag): Head | undefined => {
  const said = read(tag.inside)
  if (said === undefined) return undefined
  const { names, named, words: [first, second, ...more] } = said
  const name = called.exec(tag.inside)?.[0] ?? ""
  const helper = helperOf(first)
  const trim = second === undefined ? trims.find((known) => known === helper) : undefined
  if (trim !== undefined) return { kind: trim, of: always, names, name }
  if (helper === "replace-all" && second !== undefined) {
    const [third, ...others] = more
    const of = argument(second)
    const by = third === undefined || others.length > 0 ? undefined : argument(third)
    return of === undefined || by === undefined ? undefined : { kind: "replace", of, by, names, name }
  }
  if (helper === "text-block") return { kind: "if", of: always, names, name }
  const kind = kinds.find((known) => known === helper)
  if (kind !== undefined && second !== undefined) {
    const of = more.length > 0 ? undefined : argument(second)
    const counting = countsZero(said) ? kindsWithZero.get(kind) : undefined
    return of === undefined ? undefined : { kind: counting ?? kind, of, names, name }
  }
  const of = valueOf({ words: said.words, named })
  if (of === undefined) return undefined
  if (of._tag !== "Call" || helper === undefined) return { kind: "section", of, names, name }
  if (helper === "conditional") return { kind: "if", of: { ...of, helper: conditionalShows }, names, name }
  if (predicates.includes(helper)) return { kind: "if", of, names, name }
  return helper === "params" ? { kind: "with", of, names, name } : undefined
}

const inBrackets = /^\[[^]*\]$/

/** A partial names a text of the brand, as it is or in quotes or brackets; a context and arguments may follow. */
const partial = ({ inside }: Tag): Partial | undefined => {
  const said = read(inside)
  const [first, second, ...more] = said?.words ?? []
  const [word = ""] = called.exec(inside) ?? []
  const name = first?._tag === "Literal"
    ? String(first.value)
    : first?._tag !== "Path" || first.up > 0 || first.own
    ? undefined
    : inBrackets.test(word)
    ? first.parts.join()
    : word
  const of = second === undefined ? undefined : argument(second)
  const named = said && pairs(said)
  if (name === undefined || named === undefined || more.length > 0 || (said?.names.length ?? 0) > 0) return undefined
  return second !== undefined && of === undefined ? undefined : { _tag: "Partial", name, of, named }
}

const close = ({ body, head, inverted, otherwise }: Open): Node =>
  inverted
    ? { _tag: "Block", ...head, body: otherwise, otherwise: body }
    : { _tag: "Block", ...head, body, otherwise }

const unknown = (tag: Tag) => malformed(tag.at, `"${tag.inside.slice(0, 80)}" is not understood`)

/** Builds the program from the pieces in one pass, with a stack of at most 32 open blocks. */
const arrange = (found: ReadonlyArray<Piece>): Result.Result<Program, RenderFailed> => {
  const root: Array<Node> = []
  const open: Array<Open> = []
  const put = (node: Node): void => {
    const block = open.at(-1)
    if (block === undefined) root.push(node)
    else if (block.inverse) block.otherwise.push(node)
    else block.body.push(node)
  }
  const enter = (tag: Tag, chained: boolean): RenderFailed | undefined => {
    const found = head(tag)
    if (found === undefined) return unknown(tag)
    if (open.length >= deepest) return malformed(tag.at, `blocks are nested more than ${deepest} deep`)
    if (found.names.length > mostNames) return malformed(tag.at, `a block has more than ${mostNames} names`)
    const { name, ...rest } = found
    open.push({
      head: rest,
      name: chained ? undefined : name,
      body: [],
      otherwise: [],
      inverse: false,
      inverted: tag.kind === "inverted"
    })
    return undefined
  }
  const branch = (tag: Tag): RenderFailed | undefined => {
    const block = open.at(-1)
    if (block === undefined || block.inverse)
      return malformed(tag.at, "there is no block that this else could belong to")
    block.inverse = true
    return tag.inside === "" ? undefined : enter({ ...tag, kind: "open" }, true)
  }
  const leave = (tag: Tag): RenderFailed | undefined => {
    for (let block = open.pop(); block !== undefined; block = open.pop()) {
      put(close(block))
      if (block.name === undefined) continue
      return block.name === tag.inside
        ? undefined
        : malformed(tag.at, `"${tag.inside.slice(0, 80)}" does not close "${block.name.slice(0, 80)}"`)
    }
    return malformed(tag.at, "there is no block to close")
  }
  const step = (tag: Tag): RenderFailed | undefined => {
    switch (tag.kind) {
      case "comment":
        return undefined
      case "open":
      case "inverted":
        return enter(tag, false)
      case "else":
        return branch(tag)
      case "end":
        return leave(tag)
      case "partial": {
        const found = partial(tag)
        if (found === undefined) return unknown(tag)
        put(found)
        return undefined
      }
      case "output": {
        const said = read(tag.inside)
        const of = said === undefined || said.names.length > 0 ? undefined : outputOf(said)
        if (of === undefined) return unknown(tag)
        put({ _tag: "Output", of })
        return undefined
      }
    }
  }
  for (const piece of found) {
    if (piece._tag === "Text") {
      if (piece.text !== "") put(piece)
      continue
    }
    const failure = step(piece)
    if (failure !== undefined) return Result.fail(failure)
  }
  const left = open.findLast((block) => block.name !== undefined)
  return left === undefined
    ? Result.succeed(root)
    : Result.fail(new RenderFailed({ detail: `The template is malformed: "${left.name?.slice(0, 80)}" is not closed` }))
}

/**
 * Parses a template of the Handlebars language: paths, `each`, `with`, `if`, `unless`, `lookup`, sections, `else`,
 * comments, `~`, partials, and the known helpers. An unknown helper, a block or an expression as a partial, or a
 * decorator is malformed. `undefined` where `pay` refuses.
 */
export const parse = (source: string, pay: Pay): Result.Result<Program, RenderFailed> | undefined => {
  const found = pieces(source, pay)
  return found && Result.flatMap(found, arrange)
}
