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
 * `trim` kinds cut white space off their content.
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

export interface Block {
  readonly _tag: "Block"
  readonly kind: BlockKind
  readonly of: Operand
  /** The names after `as`. */
  readonly names: ReadonlyArray<string>
  readonly body: Program
  readonly otherwise: Program
}

export type Node =
  | { readonly _tag: "Text"; readonly text: string }
  | { readonly _tag: "Output"; readonly of: Operand }
  | Block

/** A parsed template. It is data: nothing of it is ever turned into code. */
export type Program = ReadonlyArray<Node>
