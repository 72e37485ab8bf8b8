import { Id } from "#schemas/Id.ts"
import * as Client from "#test/isolation/Client.ts"
import * as Directories from "#test/support/Directories.ts"
import * as Ports from "#test/support/Ports.ts"
import * as Served from "#test/support/Served.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schedule, Schema } from "effect"

const secret = "inboxinboxinboxinboxinboxinboxinbox"

const decoded = <A>(schema: Schema.Codec<A, unknown>) => Schema.decodeUnknownSync(Schema.fromJsonString(schema))
const Sent = decoded(Schema.Struct({ requestId: Id }))
const Token = decoded(Schema.Struct({ token: Schema.String }))
const Message = decoded(Schema.Struct({ status: Schema.String }))
const Item = Schema.Struct({ messageId: Schema.String, read: Schema.optionalKey(Schema.Int) })
const Marked = decoded(Item)
const List = decoded(Schema.Struct({ results: Schema.Array(Item) }))
const Unread = decoded(Schema.Struct({ unread: Schema.Int }))

describe("The in-app inbox, of a whole server", () => {
  it.live(
    "its user's own app reads, counts and puts away; the sender sees what was opened and clicked",
    () =>
      Effect.gen(function*() {
        const directory = yield* Directories.withDatabase
        const port = yield* Effect.promise(() => Ports.free())
        yield* Served.at(port, {
          TIDINGS_DATA_DIR: directory,
          TIDINGS_DURABILITY: "process",
          TIDINGS_BOOTSTRAP_SECRET: secret
        })
        const backend = Client.make(port, `pk_prod_${secret}`)
        const appOf = Effect.fnUntraced(function*(scopes: string) {
          const body = { scope: scopes, expires_in: "1h" }
          const { token } = Token((yield* backend({ method: "POST", path: "/auth/issue-token", body })).body)
          return Client.make(port, token)
        })
        const app = yield* appOf("user_id:ada inbox:read:messages inbox:write:events")
        const reader = yield* appOf("user_id:ada inbox:read:messages")
        const other = yield* appOf("user_id:bob inbox:read:messages inbox:write:events")
        const statusOf = (id: string) =>
          Effect.map(backend({ method: "GET", path: `/messages/${id}` }), ({ body }) => Message(body).status)
        const send = Effect.fnUntraced(function*(title: string) {
          const message = {
            to: { user_id: "ada" },
            content: { title, body: "b" },
            routing: { method: "single", channels: ["inbox"] }
          }
          const { requestId } = Sent((yield* backend({ method: "POST", path: "/send", body: { message } })).body)
          yield* Effect.repeat(statusOf(requestId), {
            until: (status) => status === "SENT",
            schedule: Schedule.spaced("20 millis")
          })
          return requestId
        })
        const list = (query = "") =>
          Effect.map(
            app({ method: "GET", path: `/users/ada/inbox${query}` }),
            ({ body }) => List(body).results.map(({ messageId }) => messageId)
          )
        const unread = Effect.map(
          app({ method: "GET", path: "/users/ada/inbox/unread" }),
          ({ body }) => Unread(body).unread
        )
        const mark = (id: string, body: unknown, call = app) =>
          call({ method: "PUT", path: `/users/ada/inbox/${id}`, body })

        const one = yield* send("one")
        const two = yield* send("two")
        assert.deepStrictEqual([yield* list(), yield* unread], [[two, one], 2])
        for (const [call, status] of [[reader, 403], [other, 403], [backend, 200]] as const)
          assert.strictEqual((yield* mark(one, {}, call)).status, status)
        assert.strictEqual(yield* statusOf(one), "SENT")

        const { body: text } = yield* mark(one, { read: true })
        assert.isDefined(Marked(text).read)
        assert.notInclude(text, "one", "who may mark it need not be allowed to read it")
        assert.strictEqual(yield* statusOf(one), "OPENED")
        assert.deepStrictEqual([yield* list("?status=unread"), yield* list("?status=read"), yield* unread], [[two], [
          one
        ], 1])
        yield* mark(one, { clicked: true, archived: true })
        assert.strictEqual(yield* statusOf(one), "CLICKED")
        assert.deepStrictEqual([yield* list(), yield* list("?archived=true")], [[two], [one]])

        const all = yield* app({ method: "PUT", path: "/users/ada/inbox", body: { read: true } })
        assert.deepStrictEqual([all.status, yield* unread, yield* statusOf(two)], [204, 0, "SENT"])
        for (const id of ["1-00000000-000000000000000000000000", "nothing"]) {
          const missing = yield* mark(id, { read: true })
          assert.strictEqual(missing.status, 404)
          assert.include(missing.body, `Message ${id} is not in the user's inbox`)
        }
        for (const body of [{ opened: false }, { clicked: "yes" }, { read: 1 }])
          assert.strictEqual((yield* mark(two, body)).status, 400)
      }).pipe(Effect.scoped),
    60_000
  )
})
