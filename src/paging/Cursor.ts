import type { Scope } from "#schemas/Scope.ts"
import * as Opaque from "#src/access/Opaque.ts"
import type { SecretKey } from "#src/access/SecretKey.ts"
import { InvalidCursor } from "#src/paging/Page.ts"
import { Effect, Schema } from "effect"

/**
 * The last row of a page, in a list ordered by time and then id. `at` in epoch ms; 0 in a list ordered by id alone. The
 * id may be a caller's own.
 */
export const Position = Schema.Struct({ at: Schema.Number, id: Schema.String.check(Schema.isMaxLength(512)) })
export type Position = typeof Position.Type

/**
 * The list a cursor belongs to: it opens for the same scope, route and filters only (P10). The order of the filters
 * counts.
 */
export interface List {
  readonly scope: Scope
  readonly route: string
  readonly filters: Schema.Json
}

/** An id of 512 characters that JSON escapes as six each, in base64. */
const longest = 4_200

const placeOf = ({ filters, route, scope }: List): string => JSON.stringify([1, scope, route, filters])

const encode = Schema.encodeSync(Schema.fromJsonString(Position))
const decode = Schema.decodeEffect(Schema.fromJsonString(Position))

/** An opaque cursor: it shows nothing of the position. */
export const seal = (key: SecretKey["Service"], list: List, position: Position): string =>
  Opaque.make(key, "cursor").seal(placeOf(list), encode(position))

/** The position that `seal` gave for the very same list. */
export const open = (
  key: SecretKey["Service"],
  list: List,
  cursor: string
): Effect.Effect<Position, InvalidCursor> => {
  const position = Opaque.make(key, "cursor").open(placeOf(list), cursor.slice(0, longest))
  return position === undefined
    ? Effect.fail(new InvalidCursor())
    : decode(position).pipe(Effect.mapError(() => new InvalidCursor()))
}
