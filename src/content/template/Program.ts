import type { Helper } from "#src/content/template/Helper.ts"
import type { Schema } from "effect"

/**
 * Where a value comes from. `up`: how many contexts (with `@`: loops) to climb. A path without `parts` is the context
 * itself.
 */
export type Operand =
  | { readonly _tag: "Literal"; readonly value: Schema.Json | undefined }
  | { readonly _tag: "Path"; readonly up: number; readonly own: boolean; readonly parts: ReadonlyArray<string> }
  | { readonly _tag: "Loop"; readonly up: number; readonly parts: ReadonlyArray<string> }
  | { readonly _tag: "Lookup"; readonly of: Operand; readonly key: Operand }
  | {
    readonly _tag: "Call"
    readonly helper: Helper
    readonly words: ReadonlyArray<Operand>
    readonly named: ReadonlyArray<readonly [string, Operand]>
  }

/**
 * The kinds of blocks. `section` is `{{#name}}`: a list is a loop, any other value a context; for `false` or no value,
 * the other branch is shown. `zero` and `unless-zero` are an `if` and an `unless` for which 0 counts as a value. The
 * `trim` kinds cut white space off their content; `replace` puts one text in the place of another there.
 */
export type BlockKind =
  | "each"
  | "with"
  | "if"
  | "unless"
  | "zero"
  | "unless-zero"
  | "section"
  | "trim"
  | "trim-left"
  | "trim-right"
  | "replace"

export interface Block {
  readonly _tag: "Block"
  readonly kind: BlockKind
  readonly of: Operand
  /** What `replace` puts in the place of what it looks for. */
  readonly by?: Operand
  /** The names after `as`. */
  readonly names: ReadonlyArray<string>
  readonly body: Program
  readonly otherwise: Program
}

/** A text of the brand by its name, for a context and with names of its own. */
export interface Partial {
  readonly _tag: "Partial"
  readonly name: string
  readonly of: Operand | undefined
  readonly named: ReadonlyArray<readonly [string, Operand]>
}

export type Node =
  | { readonly _tag: "Text"; readonly text: string }
  | { readonly _tag: "Output"; readonly of: Operand }
  | Block
  | Partial

/** A parsed template. It is data: nothing of it is ever turned into code. */
export type Program = ReadonlyArray<Node>
