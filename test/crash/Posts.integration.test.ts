import { Api } from "#schemas/api/Api.ts"
import * as Caller from "#test/support/Caller.ts"
import * as CrashProcess from "#test/support/CrashProcess.ts"
import * as Places from "#test/support/Places.ts"
import * as WireProxy from "#test/support/WireProxy.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { HttpApi } from "effect/http-api"
import { SqlClient } from "effect/sql"
import { cases, type PostCase, setup } from "./PostCases.ts"

const posts: Array<string> = []
HttpApi.reflect(Api, {
  onGroup: () => undefined,
  onEndpoint: ({ endpoint }) => {
    if (endpoint.method === "POST") posts.push(endpoint.path)
  }
})

const Count = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ count: Schema.Int })]))
const Stored = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ status: Schema.Int, body: Schema.String }))
)

/** What a first run and a later one may differ in: ids, times, names, signed tokens. */
const plain = (answer: Caller.Answer | undefined, name: string) => ({
  status: answer?.status,
  type: answer?.headers["content-type"],
  body: answer?.body.replaceAll(name, "<name>")
    .replaceAll(/1-[0-9a-f]{8}-[0-9a-f]{24}|(?<="(?:(?:page_|submission_|topic_)?id|token)":")[^"]+/g, "<id>")
    .replaceAll(
      /\b\d{13}\b|\b\d{4}-\d\d-\d\dT[\d:.]+Z/g,
      "<time>"
    )
})

/** Effect and stored response as the database holds them, behind the back of the server. */
const look = (post: PostCase, subject: string, name: string, key: string) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const [{ count }] = yield* Count(yield* sql.unsafe(post.effects, [subject, name]))
    return {
      effects: count,
      stored: yield* Stored(yield* sql`select status, body from idempotency where key = ${key}`)
    }
  })

const expected = {
  before: { effects: 0, stored: 0, replayed: undefined },
  after: { effects: 1, stored: 1, replayed: "true" }
} as const satisfies Record<WireProxy.Cut, object>

const survives = (post: PostCase) =>
  Effect.gen(function*() {
    const direct = yield* Places.make("Postgres")
    const url = new URL(direct.databaseUrl ?? "")
    const proxy = yield* WireProxy.start({ host: url.hostname, port: Number(url.port || 5432) })
    url.hostname = "127.0.0.1"
    url.port = String(proxy.port)
    const place = { ...direct, databaseUrl: url.href }
    const caller = Caller.make(place.port)
    let server = CrashProcess.start(place)
    yield* Effect.addFinalizer(() =>
      Effect.promise(async () => {
        caller.close()
        await server.kill()
      })
    )
    yield* Effect.promise(() => server.ready())

    yield* Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      for (const statement of setup) yield* sql.unsafe(statement)

      const first = yield* Effect.promise(async () => {
        const subject = await post.prepare(caller, "unbroken")
        return await caller.insist(post.path(subject), "key-unbroken", post.body("unbroken", subject))
      })
      assert.isBelow(first.status, 300)

      for (const cut of ["before", "after"] as const) {
        const key = `key-${cut}`
        const subject = yield* Effect.promise(() => post.prepare(caller, cut))
        const call = { key, body: post.body(cut, subject) }
        const lost = yield* Effect.promise(async () => {
          const held = proxy.holdAt(cut, key)
          const answer = caller.call("POST", post.path(subject), call)
          await held
          await server.kill()
          return await answer
        })
        assert.isUndefined(lost, `${cut}: no answer before the kill`)
        const found = yield* look(post, subject, cut, key)
        assert.deepStrictEqual(
          { effects: found.effects, stored: found.stored.length },
          { effects: expected[cut].effects, stored: expected[cut].stored },
          `${cut} the commit: effect and response, both or neither`
        )

        server = CrashProcess.start(place)
        const retry = yield* Effect.promise(async () => {
          await server.ready()
          return await caller.insist(post.path(subject), key, call.body)
        })
        assert.deepStrictEqual(
          plain(retry, cut),
          plain(first, "unbroken"),
          `${cut}: the retry is answered like a first run`
        )
        assert.strictEqual(retry.headers["idempotent-replayed"], expected[cut].replayed, cut)
        const after = yield* look(post, subject, cut, key)
        assert.deepStrictEqual(
          after,
          { effects: 1, stored: [{ status: retry.status, body: retry.body }] },
          `${cut}: once`
        )
      }
    }).pipe(Effect.provide(place.store))
  })

describe("kill -9 around the commit of a POST", () => {
  it("P5: every POST of the route table has a case", () => {
    assert.sameMembers(Object.keys(cases), posts)
  })
  for (const [path, post] of Object.entries(cases)) {
    it.live(
      `P5: POST ${path}: effect and stored response are both there or neither, and the retry completes it`,
      () => survives(post),
      120_000
    )
  }
})
