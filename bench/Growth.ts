import * as Retention from "#layers/postgres/retention/Retention.ts"
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted, References } from "effect"
import { SqlClient } from "effect/sql"
import * as Database from "./Database.ts"
import * as Load from "./Load.ts"
import { atMost, atLeast, type Line, type Question } from "./Report.ts"
import * as Target from "./Target.ts"

const dayMillis = 86_400_000

/** The stored messages are spread over this many days, the youngest of which is ten days old. */
const days = 20
const youngest = 10

const nameOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10).replaceAll("-", "")
const idAt = (ms: number): string => `1-${Math.floor(ms / 1_000).toString(16).padStart(8, "0")}`

/**
 * Stores closed messages like those of an installation that has run for weeks: each with an attempt and a history, in
 * the partitions of their days.
 */
const fill = (database: Database.Database, messages: number): Promise<void> =>
  Database.withClient(database.url, async (client) => {
    const midnight = Math.floor(Date.now() / dayMillis) * dayMillis
    const each = Math.ceil(messages / days)
    for (let back = youngest; back < youngest + days; back++) {
      const day = midnight - back * dayMillis
      for (const table of ["messages", "attempts", "history", "outputs"]) {
        await client.query(
          `create table ${table}_${nameOf(day)} partition of ${table} for values from ('${idAt(day)}') to ('${
            idAt(day + dayMillis)
          }')`
        )
      }
      const id = `'${idAt(day)}-' || lpad(to_hex(n), 24, '0')`
      await client.query(
        `insert into messages (scope, id, request_id, shard, lane, recipient_key, key_state, status, event, template,
          recipient_name, enqueued_at, sent_at, recipient, instructions)
        select 1, ${id}, ${id}, n % 64, 'transactional', 'user:' || n % 5000, 'published', 'SENT', 'e', 't', 'user-' || n % 5000,
          ${day} + n, ${day} + n, '{"user_id":"user-' || n % 5000 || '"}', '{"content":{"title":"Hi","body":"Hello {{name}}"}}'
        from generate_series(1, ${each}) n`
      )
      await client.query(
        `insert into attempts (scope, message_id, number, epoch, channel, provider, state, started_at, ended_at)
        select 1, ${id}, 1, 1, 'email', 'null', 'accepted', ${day} + n, ${day} + n from generate_series(1, ${each}) n`
      )
      await client.query(`insert into history (scope, message_id, at, step, events)
        select 1, ${id}, ${day} + n, '1:accepted:Send', '[{"type":"SENT","ts":0}]' from generate_series(1, ${each}) n`)
    }
    await client.query("analyze")
  })

const accepts = async (target: Target.Target, seconds: number): Promise<number> => {
  await Database.checkpoint()
  const { apiKey, url } = target
  return Target.sound(
    "accept",
    await Load.run({ url, apiKey, clients: 64, seconds, recipients: 5000, delay: dayMillis })
  )
    .rate
}

const delivers = (target: Target.Target, requests: number): Promise<number> =>
  Target.sendsPerSecond("deliver", target, requests)

/** The longest time that a caller waits for an answer until `work` ends, in ms. */
const longestWait = async (target: Target.Target, work: Promise<unknown>): Promise<number> => {
  const state = { over: false, longest: 0 }
  const ending = work.finally(() => {
    state.over = true
  })
  const client = async (number: number) => {
    while (!state.over) {
      const asked = performance.now()
      const answer = await fetch(`${target.url}/send`, {
        method: "POST",
        headers: { authorization: `Bearer ${target.apiKey}`, "content-type": "application/json" },
        body: Load.bodyOf(`${90_000_000 + number}`)
      })
      await answer.text()
      state.longest = Math.max(state.longest, performance.now() - asked)
    }
  }
  await Promise.all([ending, ...Array.from({ length: 4 }, (_, number) => client(number))])
  return state.longest
}

const drop = (database: Database.Database): Promise<ReadonlyArray<string>> =>
  Effect.runPromise(
    Effect.flatMap(SqlClient.SqlClient, (sql) => Retention.drop(sql, youngest - 2)).pipe(
      Effect.provideService(References.MinimumLogLevel, "Warn"),
      Effect.provide(PgClient.layer({ url: Redacted.make(database.url), maxConnections: 1 }))
    )
  )

/**
 * What do millions of stored messages cost the new ones, and how long does a caller wait while old days are dropped?
 */
export const growth: Question = (quick) =>
  Database.withDatabase(async (full) =>
    Database.withDatabase(async (empty) => {
      const messages = quick ? 50_000 : 5_000_000
      const [seconds, requests] = quick ? [2, 2_000] : [10, 20_000]
      const targets = await Promise.all([Target.tidings({ database: full }), Target.tidings({ database: empty })])
      const [loaded, fresh] = targets
      try {
        // First, while the tables are still empty: for a server that has settled nothing yet, `settled` counts rows.
        for (const target of targets) await delivers(target, Math.min(requests, 2_000))
        await fill(full, messages)
        const deliver = { fresh: await delivers(fresh, requests), loaded: await delivers(loaded, requests) }
        const accept = { fresh: await accepts(fresh, seconds), loaded: await accepts(loaded, seconds) }
        const quiet = await longestWait(loaded, new Promise((resolve) => setTimeout(resolve, 3_000)))
        let gone: ReadonlyArray<string> = []
        const longest = await longestWait(loaded, drop(full).then((days) => void (gone = days)))
        if (gone.length !== days) throw new Error(`${gone.length} of ${days} days were dropped`)
        const note = `${messages.toLocaleString("en")} stored messages beside none`
        const line = (what: string, { fresh, loaded }: { readonly fresh: number; readonly loaded: number }): Line => ({
          question: "growth",
          what: `${what} with them to without`,
          value: loaded / fresh,
          unit: "×",
          goal: atLeast(loaded / fresh, 0.9),
          note: `${Math.round(loaded)}/s to ${Math.round(fresh)}/s; ${note}`
        })
        return [
          line("accept", accept),
          line("deliver", deliver),
          {
            question: "growth",
            what: "longest wait of a caller while days are dropped",
            value: longest,
            unit: "ms",
            goal: atMost(longest - quiet, 100),
            note: `${gone.length} days; ${Math.round(quiet)} ms when nothing is dropped`
          }
        ]
      } finally {
        await Promise.all(targets.map((target) => target.stop()))
      }
    })
  )
