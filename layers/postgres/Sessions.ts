import { said } from "#layers/CannotStart.ts"
import { PgClient, PgConnection } from "@effect/sql-pg"
import { Effect, Layer } from "effect"

/**
 * What our statements are written for, whatever the operator's role or database begins sessions with. Under `repeatable read` and
 * `serializable` two writes of one row are an error (SQLSTATE 40001) where one should wait for the other, and who waited for a lock does not
 * see what was done under it. The cluster compares times that have no zone: no two sessions may have different ones, and none summer time.
 */
const written = { timezone: "UTC", default_transaction_isolation: "read committed" }

/** PgBouncer takes few parameters of a session, the zone among them, and says this of others. */
const isUnsupported = (error: unknown): boolean => said(error).startsWith("unsupported startup parameter")

/** A pool whose sessions begin as our statements need them; behind a pooler that does not let them, as the database begins them. */
export const layer = (config: PgClient.PgPoolConfig) => {
  const withParameters = { ...config, startupParameters: written }
  return Layer.unwrap(
    PgConnection.make(withParameters).pipe(
      Effect.as(withParameters),
      Effect.catchIf(
        isUnsupported,
        () => Effect.succeed({ ...config, startupParameters: { timezone: written.timezone } })
      ),
      Effect.map(PgClient.layer),
      Effect.scoped
    )
  )
}
