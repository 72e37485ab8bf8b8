import { Schema } from "effect"

/** A text that is not a condition; `detail` says what is wrong at which character, counted from 1. */
export class InvalidCondition
  extends Schema.TaggedError<InvalidCondition>()("InvalidCondition", { detail: Schema.String })
{}

/** `at` counts from 0. */
export const invalid = (at: number, what: string): InvalidCondition =>
  new InvalidCondition({ detail: `Invalid condition at character ${at + 1}: ${what}` })
