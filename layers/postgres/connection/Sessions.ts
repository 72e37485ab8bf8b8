import { said } from "#layers/CannotStart.ts"
import * as ManyDays from "#layers/postgres/days/ManyDays.ts"
import { PgClient, PgConnection } from "@effect/sql-pg"
import { Effect, Layer, Redacted } from "effect"

/**
 * The session parameters that our statements assume, whatever the defaults of the role or database are. Under
 * `repeatable read` and `serializable`, two writes of one row fail (SQLSTATE 40001) where one should wait for the
 * other, and a statement that waited for a lock does not see what was committed under it. The cluster compares times
 * without a zone, so all sessions must have the same one, without summer time.
 *
 * A session that waits to be told of something, or holds the locks of this node's shards, is idle for as long as nothing
 * happens.
 *
 * A node that vanishes, as its machine does, leaves its locks to the server, which by its defaults would hear of it
 * after two hours. No transaction of ours waits for anything but its own statements, so one that stands still for 10 s
 * is over. (`tcp_keepalives_*` are seconds; where an answer is on its way, `tcp_user_timeout` counts.)
 */
const written = {
  timezone: "UTC",
  default_transaction_isolation: "read committed",
  idle_in_transaction_session_timeout: "10s",
  idle_session_timeout: "0",
  tcp_keepalives_idle: "10",
  tcp_keepalives_interval: "5",
  tcp_keepalives_count: "3",
  tcp_user_timeout: "25s"
}

/** PgBouncer accepts only a few session parameters, the time zone among them; this is its error for all others. */
const isUnsupported = (error: unknown): boolean => said(error).startsWith("unsupported startup parameter")

/** What the database's own views call our sessions, unless the URL has another name for them. */
const nameIn = (url: Redacted.Redacted | undefined): { readonly application_name?: string } =>
  url !== undefined && new URL(Redacted.value(url)).searchParams.has("application_name")
    ? {}
    : { application_name: "tidings" }

const haveMany = (connection: PgConnection.PgConnection) =>
  connection.queryValues(ManyDays.some).pipe(Effect.map((rows) => rows.length > 0))

/** A pool whose sessions start with these parameters, or with the database's own behind a pooler that refuses them. */
export const layer = (config: PgClient.PgPoolConfig) => {
  const named = nameIn(config.url)
  const own = { ...config, startupParameters: { ...written, ...named } }
  const planned = { ...own, startupParameters: { ...own.startupParameters, plan_cache_mode: "force_custom_plan" } }
  const pooled = { ...config, startupParameters: { timezone: written.timezone, ...named } }
  return Layer.unwrap(
    PgConnection.make(own).pipe(
      Effect.flatMap(haveMany),
      Effect.map((many) => many ? planned : own),
      Effect.catchIf(isUnsupported, () =>
        // What is not kept prepared is planned for its values.
        Effect.map(Effect.flatMap(PgConnection.make(pooled), haveMany), (many) => ({ ...pooled, prepare: !many }))),
      Effect.map(PgClient.layer),
      Effect.scoped
    )
  )
}
