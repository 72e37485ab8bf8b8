import * as BehindProxy from "#test/support/BehindProxy.ts"
import * as Prometheus from "#test/support/Prometheus.ts"
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"

const secret = "operationsoperationsoperationsoperations"
const headers = { authorization: `Bearer pk_prod_${secret}`, "content-type": "application/json" }

/** A server whose database stands behind a proxy. */
const started = BehindProxy.start({ TIDINGS_BOOTSTRAP_SECRET: secret })

const send = async (url: string, message: Record<string, unknown>): Promise<string> => {
  const content = { title: "t", body: "b" }
  const response = await fetch(`${url}/send`, {
    method: "POST",
    headers,
    body: JSON.stringify({ message: { content, ...message } })
  })
  assert.strictEqual(response.status, 202)
  return (await response.json()).requestId
}

const metrics = async (url: string) => {
  const response = await fetch(`${url}/metrics`)
  assert.strictEqual(response.headers.get("content-type"), "text/plain; version=0.0.4; charset=utf-8")
  return Prometheus.parse(await response.text())
}

/** Asks until the answer holds; a minute. */
const until = async <A>(ask: () => Promise<A>, holds: (answer: A) => boolean): Promise<A> => {
  const began = performance.now()
  while (true) {
    const answer = await ask()
    if (holds(answer) || performance.now() - began > 60_000) return answer
  }
}

const health = async (url: string, path: string) => {
  const began = performance.now()
  const response = await fetch(`${url}/health/${path}`)
  return { status: response.status, body: await response.json(), ms: performance.now() - began }
}

/**
 * This is told at last, since a slow machine may take a lock for silence first. No answer takes much longer than the 2 s that the database
 * is waited for; one that waited for the statement's cancellation too would take 7.
 */
const told = async (url: string, message: string) => {
  let slowest = 0
  const asked = async () => {
    const answer = await health(url, "ready")
    slowest = Math.max(slowest, answer.ms)
    return answer
  }
  const { body, status } = await until(asked, ({ body, status }) => status === 503 && body.message === message)
  assert.deepStrictEqual([status, body], [503, { message, type: "api_error" }])
  assert.isBelow(slowest, 6_000)
}

/** The name and labels of a sample without its worker's. */
const unlabelled = (sample: string): string => sample.replace(/worker="\d+",?/, "").replace("{}", "")

describe("GET /metrics", () => {
  it.live("is what Prometheus reads, and counts what happened", () =>
    Effect.gen(function*() {
      const { url } = yield* started
      yield* Effect.promise(async () => {
        const before = await metrics(url)
        for (const name of ["messages_accepted", "unknown_outcomes", "messages_quarantined", "fenced_writes"]) {
          const family = before.get(`tidings_${name}_total`)
          assert.strictEqual(family?.samples.get(`tidings_${name}_total`), 0, name)
        }
        const inbox = { to: { user_id: "u" }, routing: { method: "single", channels: ["inbox"] } }
        await send(url, inbox)
        await send(url, inbox)
        await send(url, { ...inbox, delay: { duration: 3_600_000 } })
        // Loopback is refused by the outbound guard: an attempt with an outcome that needs no receiver.
        await send(url, { to: { webhook: { url: "http://127.0.0.1:9/" } } })
        const total = (family: Prometheus.Family | undefined, sample?: string) =>
          [...family?.samples ?? []].reduce(
            (sum, [key, value]) => sample === undefined || unlabelled(key) === sample ? sum + value : sum,
            0
          )
        const after = await until(
          () => metrics(url),
          (all) =>
            total(all.get("tidings_messages_settled_total")) === 3 && total(all.get("tidings_due_messages")) === 0
        )
        /** The sum of the server and its worker. */
        const value = (name: string, labels = "") => total(after.get(`tidings_${name}`), `tidings_${name}${labels}`)
        assert.strictEqual(value("messages_accepted_total"), 4)
        assert.strictEqual(value("messages_settled_total", "{status=\"SENT\"}"), 2)
        assert.strictEqual(value("messages_settled_total", "{status=\"UNDELIVERABLE\"}"), 1)
        assert.strictEqual(value("attempts_total", "{provider=\"inbox\",channel=\"inbox\",outcome=\"accepted\"}"), 2)
        assert.strictEqual(
          value("attempts_total", "{provider=\"webhook\",channel=\"webhook\",outcome=\"RecipientRejected\"}"),
          1
        )
        assert.strictEqual(value("unknown_outcomes_total"), 0)
        assert.strictEqual(value("due_messages"), 0)
        assert.strictEqual(value("oldest_due_age_seconds"), 0)
        assert.deepStrictEqual([...new Set(after.get("tidings_database_up")?.samples.values())], [1])

        const requests = "tidings_http_request_duration_seconds"
        const answered = (labels: string) => total(after.get(requests), `${requests}_count${labels}`)
        assert.strictEqual(answered("{method=\"POST\",route=\"/send\",status=\"202\"}"), 4)
        assert.isAtLeast(answered("{method=\"GET\",route=\"/metrics\",status=\"200\"}"), 1)
        for (
          const used of ["process_resident_memory_bytes", "process_cpu_seconds_total", "process_start_time_seconds"]
        ) {
          assert.isAbove(total(after.get(used), used), 0, used)
        }
        const busy = [...after.get("tidings_event_loop_busy_seconds_total")?.samples ?? []]
        assert.deepStrictEqual(
          busy.map(([thread, seconds]) => [thread.replace(/^[^{]*/, ""), seconds > 0]),
          [["", true], ["{worker=\"1\"}", true]]
        )

        const name = "tidings_accept_to_first_attempt_seconds"
        const wait = after.get(name)
        assert.strictEqual(wait?.type, "histogram")
        // The engine counts it, in whichever thread that runs.
        const seen = new Map(
          [...wait?.samples ?? []].filter(([, count]) => count > 0).map(([key, count]) => [unlabelled(key), count])
        )
        const buckets = [...seen].filter(([key]) => key.startsWith(`${name}_bucket`)).map(([, count]) => count)
        assert.deepStrictEqual(buckets, buckets.toSorted((a, b) => a - b))
        assert.strictEqual(seen.get(`${name}_count`), 3)
        assert.strictEqual(seen.get(`${name}_bucket{le="+Inf"}`), seen.get(`${name}_count`))
        assert.isBelow(seen.get(`${name}_sum`) ?? Infinity, 60, "seconds")

        for (const [family, { help, type }] of after) {
          if (!family.startsWith("tidings_")) continue
          assert.isDefined(help, family)
          assert.strictEqual(family.endsWith("_total"), type === "counter", family)
        }
      })
    }), 180_000)
})

describe("GET /health", () => {
  it.live(
    "tells that the database is away, cut or silent, and that it is back; the process is up meanwhile",
    () =>
      Effect.gen(function*() {
        const { proxy, url } = yield* started
        yield* Effect.promise(async () => {
          for (const fault of [proxy.cut, proxy.freeze]) {
            fault()
            await told(url, "the database does not answer")
            assert.strictEqual((await health(url, "live")).status, 200)
            const meanwhile = await metrics(url)
            assert.deepStrictEqual([...new Set(meanwhile.get("tidings_database_up")?.samples.values())], [0])
            proxy.heal()
            const back = await until(() => health(url, "ready"), ({ body }) => body.shards === 64)
            assert.deepStrictEqual([back.status, back.body.status, back.body.shards], [200, "ready", 64])
          }
        })
      }),
    240_000
  )

  it.live(
    "tells what somebody's lock holds up: messages, or the cluster's table, and that it is gone",
    () =>
      Effect.gen(function*() {
        const { database, url } = yield* started
        const locked = (table: string, reason: string) =>
          Effect.gen(function*() {
            const sql = yield* PgClient.make({ url: database, maxConnections: 1 })
            const held = Effect.gen(function*() {
              yield* sql`lock table ${sql(table)} in access exclusive mode`
              yield* Effect.promise(() => told(url, reason))
            })
            yield* sql.withTransaction(held)
            const back = yield* Effect.promise(() =>
              until(() => health(url, "ready"), ({ body }) => body.shards === 64)
            )
            assert.deepStrictEqual([back.body.status, back.body.shards], ["ready", 64])
          }).pipe(Effect.scoped, Effect.provide(Reactivity.layer))
        yield* locked("messages", "messages cannot be written: another session of the database has locked them")
        yield* locked("cluster_runners", "0 of 64 shards run here so far")
      }),
    240_000
  )
})
