import { Schema } from "effect"

/**
 * The database did not answer, or its answer is unknown: nothing may be assumed stored. The edge answers 503 with
 * `Retry-After`.
 */
export class StoreUnavailable extends Schema.TaggedError<StoreUnavailable>()("StoreUnavailable", {
  cause: Schema.Defect()
}) {}
