import { Id } from "#schemas/Id.ts"
import * as Client from "#test/isolation/Client.ts"
import * as Directories from "#test/support/Directories.ts"
import * as Ports from "#test/support/Ports.ts"
import * as Served from "#test/support/Served.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schedule, Schema } from "effect"

const secret = "throttledthrottledthrottledthrot"

const Sent = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Struct({ requestId: Id })))
const Message = Schema.Struct({ id: Id, status: Schema.String, error: Schema.optionalKey(Schema.String) })
const Messages = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Struct({ results: Schema.Array(Message) })))
const Limits = Schema.decodeUnknownSync(
  Schema.fromJsonString(Schema.Struct({ items: Schema.Array(Schema.Struct({ used: Schema.Int })) }))
)

/** An embedded server, and one that goes on with its data. */
const served = Effect.fnUntraced(function*(directory: string) {
  const port = yield* Effect.promise(() => Ports.free())
  const server = yield* Served.at(port, {
    TIDINGS_DATA_DIR: directory,
    TIDINGS_DURABILITY: "process",
    TIDINGS_BOOTSTRAP_SECRET: secret
  })
  const call = Client.make(port, `pk_prod_${secret}`)
  /** Sends to the in-app inbox, and tells how the messages ended. */
  const send = Effect.fnUntraced(function*(to: unknown, count: number) {
    const body = {
      message: { to, content: { title: "t", body: "b" }, routing: { method: "single", channels: ["inbox"] } }
    }
    const { requestId } = Sent((yield* call({ method: "POST", path: "/send", body })).body)
    const { results } = yield* call({ method: "GET", path: `/messages?traceId=${requestId}` }).pipe(
      Effect.map(({ body: text }) => Messages(text)),
      Effect.repeat({
        until: ({ results }) =>
          results.length === count && results.every(({ status }) => status === "SENT" || status === "THROTTLED"),
        schedule: Schedule.spaced("20 millis")
      })
    )
    return results
  })
  return { call, send, server }
})

const statuses = (messages: ReadonlyArray<typeof Message.Type>) => messages.map(({ status }) => status).toSorted()

describe("Send limits, of a whole server", () => {
  it.live(
    "count messages to people and to lists, over a restart too, and tell whoever looks",
    () =>
      Effect.gen(function*() {
        const directory = yield* Directories.withDatabase
        yield* Effect.gen(function*() {
          const { call, send } = yield* served(directory)
          const put = (path: string, body: unknown) => call({ method: "PUT", path, body })
          yield* put("/send-limits/user/month", { limit: 2, overrides: { eve: 3 } })
          yield* put("/send-limits/global/month", { limit: 8 })
          const ada = yield* Effect.forEach([1, 2, 3], () => send({ user_id: "ada" }, 1))
          assert.deepStrictEqual(ada.map(statuses), [["SENT"], ["SENT"], ["THROTTLED"]])
          const [{ error = "", id = "" } = {}] = ada[2] ?? []
          assert.match(error, /^The limit of 2 messages a month for its recipient is reached, until /)
          const history = yield* call({ method: "GET", path: `/messages/${id}/history` })
          assert.match(history.body, /"type":"THROTTLED"[^}]*"error_message":"The limit of 2 messages/)

          const users = ["ada", "bob", "eve", "flo"]
          for (const user of users) {
            yield* put(`/profiles/${user}`, { profile: { name: user } })
            yield* put(`/lists/crew/subscriptions/${user}`, {})
          }
          const once = yield* send({ list_id: "crew" }, 4)
          assert.deepStrictEqual(statuses(once), ["SENT", "SENT", "SENT", "THROTTLED"], "all but ada")
          const metrics = yield* call({ method: "GET", path: "/metrics" })
          assert.match(metrics.body, /tidings_throttled_messages_total\{[^}]*per="user"[^}]*\} 2\n/)
        }).pipe(Effect.scoped)

        const { call, send } = yield* served(directory)
        const limits = yield* call({ method: "GET", path: "/send-limits?user_id=bob" })
        assert.deepStrictEqual(Limits(limits.body).items.map(({ used }) => used), [5, 1])
        const twice = yield* send({ list_id: "crew" }, 4)
        assert.deepStrictEqual(statuses(twice), ["SENT", "SENT", "SENT", "THROTTLED"])
        assert.deepStrictEqual(statuses(yield* send({ user_id: "eve" }, 1)), ["THROTTLED"], "of all")
        yield* call({ method: "DELETE", path: "/send-limits/global/month" })
        assert.deepStrictEqual(statuses(yield* send({ user_id: "eve" }, 1)), ["SENT"], "her own third")
        assert.deepStrictEqual(statuses(yield* send({ user_id: "eve" }, 1)), ["THROTTLED"])
      }).pipe(Effect.scoped),
    240_000
  )
})
