import { ask, fetched, refusal, type Service, until } from "#test/client/Service.ts"
import * as Shape from "#test/client/Shape.ts"
import { assert, type Vitest } from "@effect/vitest"
import type Courier from "@trycourier/courier"
import { Effect } from "effect"

const job = Shape.shaped<Courier.BulkRetrieveJobResponse.Job>({
  definition: Shape.map,
  enqueued: Shape.integer,
  failures: Shape.integer,
  received: Shape.integer,
  status: Shape.text
})

const message = {
  event: "bulk-welcome",
  content: { title: "Hello {{name}}", body: "{{greeting}} from {{city}}" },
  data: { greeting: "Greetings", city: "Graz" },
  routing: { method: "single" as const, channels: ["inbox"] }
}

export const bulk = (it: Vitest.MethodsNonLive<Service>) => {
  it.effect("bulk.createJob, addUsers, runJob, retrieveJob, listUsers: each user has one message of its own", () =>
    Effect.gen(function*() {
      const { jobId } = yield* ask((client) => client.bulk.createJob({ message }))
      const retrieve = ask((client) => client.bulk.retrieveJob(jobId))
      const created = job.assert((yield* retrieve).job)
      assert.deepStrictEqual([created.status, created.received], ["CREATED", 0])
      yield* ask((client) =>
        client.bulk.addUsers(jobId, {
          users: [
            { recipient: "bulk-ada", data: { name: "Ada" }, profile: { email: "bulk-ada@example.com" } },
            { to: { user_id: "bulk-bob", data: { name: "Bob" } }, data: { city: "Rome" } },
            { profile: { name: "nobody" } }
          ]
        })
      )
      // A repeat, as after a lost answer.
      yield* ask((client) => client.bulk.addUsers(jobId, { users: [{ recipient: "bulk-ada" }] }))
      yield* ask((client) => client.bulk.runJob(jobId))
      const { job: ran } = yield* until(retrieve, ({ job }) => job.status === "COMPLETED")
      assert.deepStrictEqual([ran.received, ran.enqueued, ran.failures], [3, 2, 1])

      const { items, paging } = yield* ask((client) => client.bulk.listUsers(jobId))
      assert.isFalse(paging.more)
      assert.deepStrictEqual(items.map(({ status }) => status), ["ENQUEUED", "ENQUEUED", "ERROR"])
      const bodies = yield* Effect.forEach(items.slice(0, 2), ({ messageId }) =>
        Effect.gen(function*() {
          const id = messageId ?? ""
          yield* until(ask((client) => client.messages.retrieve(id)), ({ status }) => status === "SENT")
          const { results: [shown] } = yield* ask((client) => client.messages.content(id))
          return [shown?.content.title, shown?.content.body]
        }))
      assert.deepStrictEqual(bodies, [["Hello Ada", "Greetings from Graz"], ["Hello Bob", "Greetings from Rome"]])
      const { profile } = yield* ask((client) => client.profiles.retrieve("bulk-ada"))
      assert.deepStrictEqual(profile, { email: "bulk-ada@example.com" })
    }))

  it.effect("POST /bulk with a locale, as the documentation writes it: users without one of their own are written to in it", () =>
    Effect.gen(function*() {
      const text = { type: "text", content: "Hello", locales: { de: { content: "Hallo" }, fr: { content: "Salut" } } }
      const { body } = yield* fetched("POST", "/bulk", {
        message: {
          event: "bulk-locale",
          locale: "de_AT",
          content: { version: "2022-01-01", elements: [text] },
          routing: message.routing
        }
      })
      yield* ask((client) =>
        client.bulk.addUsers(body.jobId, {
          users: [{ recipient: "bulk-none" }, { recipient: "bulk-fr", profile: { locale: "fr" } }]
        })
      )
      yield* ask((client) => client.bulk.runJob(body.jobId))
      const { job: ran } = yield* until(
        ask((client) => client.bulk.retrieveJob(body.jobId)),
        ({ job }) => job.status === "COMPLETED"
      )
      assert.strictEqual(Object(ran.definition).locale, "de_AT")
      const { items } = yield* ask((client) => client.bulk.listUsers(body.jobId))
      const said = yield* Effect.forEach(items, ({ messageId }) =>
        Effect.gen(function*() {
          const id = messageId ?? ""
          yield* until(ask((client) => client.messages.retrieve(id)), ({ status }) => status === "SENT")
          return (yield* ask((client) => client.messages.content(id))).results[0]?.content.body
        }))
      assert.deepStrictEqual(said, ["Hallo", "Salut"])
    }))

  it.effect("a job is run once, and what is not there is 404", () =>
    Effect.gen(function*() {
      const { jobId } = yield* ask((client) => client.bulk.createJob({ message }))
      yield* ask((client) => client.bulk.runJob(jobId))
      const retrieve = ask((client) => client.bulk.retrieveJob(jobId))
      // Nothing could be made of it.
      yield* until(retrieve, ({ job }) => job.status === "ERROR")
      assert.strictEqual(yield* refusal((client) => client.bulk.runJob(jobId)), 400)
      const users = [{ recipient: "bulk-late" }]
      assert.strictEqual(yield* refusal((client) => client.bulk.addUsers(jobId, { users })), 409)
      const many = Array.from({ length: 10_001 }, (_, n) => ({ recipient: `bulk-${n}` }))
      for (const users of [[], many]) {
        assert.strictEqual(yield* refusal((client) => client.bulk.addUsers(jobId, { users })), 400)
      }
      for (
        const asked of [
          (client: Courier) => client.bulk.retrieveJob("job_none"),
          (client: Courier) => client.bulk.listUsers("job_none"),
          (client: Courier) => client.bulk.addUsers("job_none", { users }),
          (client: Courier) => client.bulk.runJob("job_none")
        ]
      ) assert.strictEqual(yield* refusal(asked), 404)
    }))
}
