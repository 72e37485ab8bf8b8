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

/** The length of the longest cursor: an id of 512 characters that JSON escapes as six each, in base64. */
const longest = 4_200

const placeOf = ({ filters, route, scope }: List): string => JSON.stringify([1, scope, route, filters])

const encode = Schema.encodeSync(Schema.fromJsonString(Position))
const decode = Schema.decodeEffect(Schema.fromJsonString(Position))

/** Opaque cursors: they show nothing of the position. */
export interface Cursors {
  readonly seal: (list: List, position: Position) => string
  /** The position that `seal` was given for this very list. */
  readonly open: (list: List, cursor: string) => Effect.Effect<Position, InvalidCursor>
}

export const make = (key: SecretKey["Service"]): Cursors => {
  const opaque = Opaque.make(key, "cursor")
  return {
    seal: (list, position) => opaque.seal(placeOf(list), encode(position)),
    open: (list, cursor) => {
      const position = opaque.open(placeOf(list), cursor.slice(0, longest))
      return position === undefined
        ? Effect.fail(new InvalidCursor())
        : decode(position).pipe(Effect.mapError(() => new InvalidCursor()))
    }
  }
}
