import * as ExitCode from "#layers/ExitCode.ts"
import * as Drain from "#test/crash/Drain.ts"
import * as OpenLoop from "#test/crash/OpenLoop.ts"
import * as Outcome from "#test/crash/Outcome.ts"
import * as Caller from "#test/support/Caller.ts"
import * as CrashProcess from "#test/support/CrashProcess.ts"
import * as MainProcess from "#test/support/MainProcess.ts"
import * as Places from "#test/support/Places.ts"
import * as Prometheus from "#test/support/Prometheus.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { setTimeout as sleep } from "node:timers/promises"

const sends = 60

const tidings = async (place: Places.Place, ...args: ReadonlyArray<string>) => {
  const command = MainProcess.run("node", "layers/cli/Tidings.ts", {
    TIDINGS_URL: `http://127.0.0.1:${place.port}`,
    TIDINGS_API_KEY: CrashProcess.apiKey
  }, args)
  const { code } = await command.ended
  assert.strictEqual(code, 0, command.stderr())
  return command.stdout()
}

/**
 * The metrics once every shard has an owner: a worker's own shards come to it from its server one by one, each without an owner between its
 * release and its lock, and a short load may be done before.
 */
const allOwned = async (caller: Caller.Caller): Promise<ReturnType<typeof Prometheus.parse>> => {
  let owned: ReadonlyArray<number> = []
  for (const began = performance.now(); performance.now() - began < 30_000; await sleep(100)) {
    const metrics = Prometheus.parse((await caller.call("GET", "/metrics"))?.body ?? "")
    owned = [...metrics.get("tidings_owned_shards")?.samples.values() ?? []]
    if (owned.length === 2 && owned.reduce((sum, count) => sum + count, 0) === 64) return metrics
  }
  return assert.fail(`not 64 shards on two workers after 30 s, but ${owned.join(" + ")}`)
}

const set = (place: Places.Place, id: string) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    yield* sql`update messages set status = 'of a later version', due_at = (extract(epoch from now()) * 1000)::bigint where id = ${id}`
    yield* sql`select pg_notify('tidings_due', shard::text) from messages where id = ${id}`
  }).pipe(Effect.provide(place.store))

const serving = Effect.fnUntraced(function*(runtime: "node" | "deno", workers: string) {
  const place = yield* Places.make("Postgres", { runtime })
  const server = CrashProcess.start(place, { TIDINGS_WORKERS: workers })
  yield* Effect.addFinalizer(() => Effect.promise(() => server.kill()))
  return { caller: Caller.make(place.port), place, server }
})

describe("TIDINGS_WORKERS", () => {
  for (const runtime of ["node", "deno"] as const) {
    it.live(
      `two workers own shards, deliver, are counted, and drain with their server, on ${runtime}`,
      () =>
        Effect.gen(function*() {
          const { caller, place, server } = yield* serving(runtime, "2")
          yield* Effect.promise(async () => {
            await server.ready()
            await Promise.all(
              Array.from({ length: sends }, (_, n) => caller.insist("/send", OpenLoop.keyOf(n), OpenLoop.bodyOf(n)))
            )
            await Drain.untilClosed(caller, 30_000)
            const metrics = await allOwned(caller)
            assert.deepStrictEqual([...metrics.get("tidings_owned_shards")?.samples.keys() ?? []], [
              "tidings_owned_shards{worker=\"1\"}",
              "tidings_owned_shards{worker=\"2\"}"
            ])
            for (const name of ["tidings_due_messages", "tidings_database_up"]) {
              assert.deepStrictEqual([...metrics.get(name)?.samples.keys() ?? []], [name])
            }
            const settled = [...metrics.get("tidings_messages_settled_total")?.samples.values() ?? []]
            assert.strictEqual(settled.reduce((sum, count) => sum + count, 0), sends)
            const seen = await tidings(place, "cluster")
            assert.match(seen, /^2 nodes, 64 shards\n/)
            assert.strictEqual(seen.match(/^ {2}up /gm)?.length, 2)
            assert.include(seen, "0 messages due")
          })
          if (runtime === "node") {
            // X1: what is set aside is seen, and can be sent again.
            const id = OpenLoop.requestIdOf(
              yield* Effect.promise(() =>
                caller.insist("/send", "later", Caller.toEmail("later", { delay: { duration: 3_600_000 } }))
              )
            )
            yield* set(place, id)
            yield* Effect.promise(async () => {
              let listed = ""
              for (let asked = 0; asked < 20 && !listed.includes(id); asked++) {
                listed = await tidings(place, "replay", "--list")
              }
              assert.strictEqual(listed.trim(), id)
              const first = await tidings(place, "replay")
              assert.match(first, new RegExp(`^${id} is sent again as 1-`))
              const again = first.replace("is sent again as", "was sent again before, as")
              assert.strictEqual(await tidings(place, "replay", id), again)
              assert.include(await tidings(place, "replay", "--list"), "Nothing is in quarantine")
              await Drain.untilClosed(caller, 30_000)
            })
          }
          const end = yield* Effect.promise(async () => {
            server.signal("SIGTERM")
            return await server.ended
          })
          caller.close()
          assert.deepStrictEqual([end.code, end.signal], [0, null])
          const outcome = yield* Outcome.read(place)
          assert.lengthOf(
            outcome.messages.filter(({ status }) => status === "SENT"),
            runtime === "node" ? sends + 1 : sends
          )
          assert.strictEqual(Outcome.duplicates(outcome), 0)
        }),
      180_000
    )
  }

  for (const runtime of ["node", "deno"] as const) {
    it.live(
      `the only worker takes what its server accepts as it comes, and does not wait to find it in the store, on ${runtime}`,
      () =>
        Effect.gen(function*() {
          const { caller, place, server } = yield* serving(runtime, "1")
          yield* Effect.promise(async () => {
            await server.ready()
            // Until the worker has counted the nodes, it is told to look into the store; 10 s after it took the shards, it does so by itself.
            await sleep(12_000)
            for (let n = 0; n < 5; n++) await caller.insist("/send", OpenLoop.keyOf(n), OpenLoop.bodyOf(n))
            // The store is swept once a minute.
            await Drain.untilClosed(caller, 30_000)
          })
          caller.close()
          const outcome = yield* Outcome.read(place)
          assert.deepStrictEqual(outcome.messages.map(({ status }) => status), Array(5).fill("SENT"))
        }),
      90_000
    )
  }

  it.live("workers without DATABASE_URL are refused: an embedded store has one owner", () =>
    Effect.gen(function*() {
      const place = yield* Places.make("embedded")
      const { code, output } = yield* Effect.promise(() => CrashProcess.start(place, { TIDINGS_WORKERS: "2" }).ended)
      assert.strictEqual(code, ExitCode.configuration)
      assert.include(output, "TIDINGS_WORKERS must be a number from 0 to 64, and needs DATABASE_URL")
    }), 60_000)
})
