import * as ExitCode from "#layers/ExitCode.ts"
import { KeyFile } from "#layers/settings/SecretKeyFile.ts"
import { derive, SecretKey } from "#src/access/SecretKey.ts"
import { Effect, Layer, Runtime, Schema } from "effect"
import { SqlClient } from "effect/sql"

/** The database belongs to an installation with other settings; `message` tells the operator. */
export class OtherInstallation extends Schema.TaggedError<OtherInstallation>()("OtherInstallation", {
  message: Schema.String
}) {
  override readonly [Runtime.errorExitCode] = ExitCode.configuration
}

/** `tidings move` is filling the database, or was cut off. No server starts on it until all is there. */
export class BeingMoved extends Schema.TaggedError<BeingMoved>()("BeingMoved", {}) {
  override get message(): string {
    return "a move into this database has not ended; run `tidings move` again where the data directory is that it " +
      "moves, or take an empty database"
  }
}

/** The setting of a database that `tidings move` is filling (`layers/postgres/move`): the id of that move. */
export const moving = "moving"

/** What is wrong with the key, by where it came from, and what to do about it. */
const otherKey = Effect.map(KeyFile, (kept) => {
  if (kept === undefined)
    return "TIDINGS_SECRET_KEY is not the key that this database was set up with; start with the first node's key."
  const found = kept.made ? "was missing, and the new key made in it is not" : "does not hold"
  return `${kept.file} ${found} the key that this database was set up with; put the first node's secret.key back, ` +
    "or set TIDINGS_SECRET_KEY to that key."
})

const decode = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ name: Schema.String, value: Schema.String })))

/**
 * Lets this node start only with the secret key and the shard count that the first node stored (design.md §4, §6). With
 * another key nothing sealed could be opened; with another count two nodes could own one recipient.
 */
export const layer = (shardCount: number) =>
  Layer.effectDiscard(
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const shards = String(shardCount)
      const fingerprint = Buffer.from(derive(yield* SecretKey, "installation/fingerprint")).toString("base64url")
      yield* sql`insert into settings (name, value) values ('secret_key', ${fingerprint}), ('shards', ${shards})
      on conflict (name) do nothing`
      const rows = yield* sql`select name, value from settings`.pipe(Effect.flatMap(decode))
      const stored = new Map(rows.map((row) => [row.name, row.value]))
      if (stored.has(moving)) return yield* new BeingMoved()
      if (stored.get("secret_key") !== fingerprint) {
        return yield* new OtherInstallation({ message: yield* otherKey })
      }
      if (stored.get("shards") !== shards) {
        return yield* new OtherInstallation({
          message: `TIDINGS_SHARDS is ${shards}, but this database was set up with ${
            stored.get("shards")
          }; the number cannot change.`
        })
      }
    }).pipe(Effect.withSpan("Installation"))
  )
