import { Schema } from "effect"

/** Which page of a list is wanted: at most `limit` rows, those after `cursor`, or the first ones without a cursor. */
export interface PageQuery {
  readonly limit: number
  readonly cursor: string | undefined
}

/** `cursor` is present when there is more. */
export interface Page<A> {
  readonly items: ReadonlyArray<A>
  readonly cursor: string | undefined
}

/** Not a cursor of this list: 400 "Invalid cursor format". */
export class InvalidCursor extends Schema.TaggedError<InvalidCursor>()("InvalidCursor", {}) {}
