import type { Value } from "#schemas/Json.ts"

export const methods = ["includes", "startsWith", "endsWith"] as const
export type Method = (typeof methods)[number]

export const comparisons = ["==", "!=", "===", "!==", "<", "<=", ">", ">="] as const
export type Comparison = (typeof comparisons)[number]

/** A parsed condition. */
export type Expression =
  | { readonly _tag: "Literal"; readonly value: Value }
  | { readonly _tag: "Name"; readonly name: string }
  | { readonly _tag: "Member"; readonly of: Expression; readonly key: Expression }
  | { readonly _tag: "Call"; readonly of: Expression; readonly method: Method; readonly argument: Expression }
  | { readonly _tag: "Not"; readonly of: Expression }
  | { readonly _tag: "Minus"; readonly of: Expression }
  | { readonly _tag: "Compare"; readonly by: Comparison; readonly left: Expression; readonly right: Expression }
  | { readonly _tag: "All"; readonly of: ReadonlyArray<Expression> }
  | { readonly _tag: "Any"; readonly of: ReadonlyArray<Expression> }
  | { readonly _tag: "Choose"; readonly test: Expression; readonly yes: Expression; readonly no: Expression }
