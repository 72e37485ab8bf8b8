import * as Text from "#schemas/Text.ts"
import { Schema } from "effect"

/** A caller's id or name: a text of 1–512 characters that Postgres can store, so without NUL and lone surrogates. */
export const Id = Schema.NonEmptyString.check(Schema.isMaxLength(512), Text.storable)

/** The name of something that need not exist: a text that can be looked up. */
export const Reference = Schema.String.check(Text.storable)

/** A key of a Postgres index can have about 2,700 bytes. A user's id, which may take 1,536 of them, leaves this. */
const mostBytes = 1_000

const encoder = new TextEncoder()

/**
 * A caller's id of something that users are in or have, such as a list: an `Id` that is short enough to share an index
 * key with any user's id.
 */
export const GroupId = Id.check(
  Schema.makeFilter((id) =>
    id.length * 3 <= mostBytes || encoder.encode(id).length <= mostBytes
      ? undefined
      : `Expected at most ${mostBytes} bytes in UTF-8`
  )
)
