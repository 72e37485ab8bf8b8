import * as Faults from "#layers/testing/Faults.ts"
import * as Simulation from "#layers/testing/Simulation.ts"
import { serve } from "#test/layers/http/Server.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

const content = { title: "Hello", body: "Ada" }
const calm = { nodes: 1, faults: Faults.none }
const given: Simulation.Given = { profiles: { ada: { email: "ada@x.test" } } }

type Job = Parameters<Simulation.World["bulk"]>[0]

const greetings: Job = {
  message: { content: { title: "Hello", body: "{{name}}" }, routing: { method: "single", channels: ["email"] } },
  users: [
    { recipient: "ada", data: { name: "Ada" } },
    { profile: { email: "bob@x.test" }, data: { name: "Bob" } },
    { to: { user_id: "ada" }, data: { name: "Eve" } },
    { profile: { nickname: "nobody" } },
    { to: { email: "cleo@x.test" }, data: { name: "Cleo" } }
  ]
}

/** Tries that an answer came to, by call. */
const statuses = ({ tries: { add, create, run } }: Simulation.BulkJob) =>
  [create, add, run].map((tries) => tries.map(({ status }) => status))

describe("a bulk job in a world", () => {
  it("is one message to each of its users, whatever goes wrong, though two workers run it", () => {
    const story: Simulation.Story = ({ bulk, chance }) =>
      Effect.forEach(
        [1, 2],
        () => Effect.delay(bulk(greetings, { key: "greetings" }), chance.int(0, 30_000)),
        { concurrency: 2 }
      )
    const faults: Faults.Faults = { ...Faults.all, within: 30_000, lostAnswers: 0.05 }
    for (let seed = 1; seed <= 30; seed++) {
      const { bulkJobs, failure, stored } = Simulation.run(seed, story, { given, faults })
      assert.strictEqual(failure, undefined)
      const [one, other] = bulkJobs
      assert.isDefined(one?.requestId)
      assert.deepStrictEqual([one?.jobId, one?.requestId], [other?.jobId, other?.requestId], `seed ${seed}`)
      assert.deepStrictEqual(one?.errors.map(({ error }) => error), [
        "is in this job already",
        "one of recipient, to.user_id, profile.email and profile.phone_number is required"
      ])
      const messages = stored.messages()
      assert.deepStrictEqual(
        messages.map(({ requestId, status }) => [String(requestId), status]),
        Array.from({ length: 3 }, () => [one?.requestId, "SENT"])
      )
      const { users, ...told } = stored.job(one?.jobId ?? "") ?? assert.fail("there is no such job")
      assert.deepStrictEqual(told, {
        status: "COMPLETED",
        received: 4,
        enqueued: 3,
        failures: 1,
        requestId: one?.requestId
      })
      assert.deepStrictEqual(users.map(({ status }) => status), ["ENQUEUED", "ENQUEUED", "ERROR", "ENQUEUED"])
      assert.sameMembers(
        users.flatMap(({ messageId }) => messageId ?? []),
        messages.map(({ id }) => String(id))
      )
      assert.strictEqual(stored.request(one?.requestId ?? "")?.state, "COMPLETED")
    }
  })

  it("says to each user what it was given for that one, in the environment that was asked for", () => {
    const { deliveries, stored } = Simulation.run(1, ({ bulk }) => bulk(greetings, { environment: 2 }), {
      ...calm,
      given
    })
    assert.sameDeepMembers(
      deliveries.map(({ address, scope, text }) => [Number(scope), address, /Ada|Bob|Cleo|Eve/.exec(text)?.[0]]),
      [[2, "ada@x.test", "Ada"], [2, "bob@x.test", "Bob"], [2, "cleo@x.test", "Cleo"]]
    )
    assert.lengthOf(stored.messages(), 0)
  })

  it("is told line by line", () => {
    const history = Simulation.run(1, ({ bulk }) => bulk(greetings, { key: "greetings" }), { ...calm, given })
    const lines = Simulation.timeline(history).map((line) => line.slice(14).replace(/ \{.*/, ""))
    assert.includeMembers(lines, [
      "POST /bulk for a bulk job of 5 with key greetings to node a: 200",
      "users of a bulk job of 5 with key greetings are added to node a: 200",
      "a bulk job of 5 with key greetings is run to node a: 204 "
    ])
  })

  it.effect("is refused in the words of the API, and the story goes on", () =>
    Effect.gen(function*() {
      const { call } = yield* serve
      const jobs: ReadonlyArray<readonly [message: Job["message"], users: Job["users"]]> = [
        [{}, []],
        [{ content, metadata: { tags: ["x".repeat(31)] } }, []],
        [{ content, override: { channel: 3 } }, []],
        [{ content }, []],
        [{ content }, [{ recipient: "" }]]
      ]
      for (const [message, users] of jobs) {
        const created = yield* call("POST", "/bulk", { body: { message } })
        const { jobId } = Object(created.body)
        const answer = jobId === undefined ? created : yield* call("POST", `/bulk/${jobId}`, { body: { users } })
        const { bulkJobs: [job], failure, stored } = Simulation.run(
          1,
          ({ bulk, send }) => Effect.andThen(bulk({ message, users }), send({ to: { email: "ada@x.test" }, content })),
          calm
        )
        const seen = job === undefined ? undefined : [...job.tries.create, ...job.tries.add].at(-1)
        assert.deepStrictEqual([failure, seen?.status, seen?.body], [undefined, answer.status, answer.text])
        assert.deepStrictEqual([answer.status, job?.requestId], [400, undefined])
        assert.lengthOf(stored.messages(), 1)
      }
    }))

  it("P5: gets the first answers again under the same key; without a key it is another job", () => {
    const twice = (options: { readonly key?: string }) =>
      Simulation.run(1, ({ bulk }) => Effect.forEach([1, 2], () => bulk(greetings, options)), { ...calm, given })
    const same = twice({ key: "k" })
    assert.deepStrictEqual(same.bulkJobs.map(statuses), [[[200], [200], [204]], [[200], [200], [204]]])
    assert.lengthOf(same.stored.messages(), 3)
    assert.lengthOf(twice({}).stored.messages(), 6)
  })

  it("is told what it has to be, by whom no types say so", () => {
    const wrong: ReadonlyArray<readonly [job: unknown, options: unknown, sentence: string]> = [
      [null, {}, "A bulk job has to be an object, and is of type Null"],
      [{ ...greetings, to: [] }, {}, "A bulk job has to, which is none of message, users"],
      [{ message: greetings.message }, {}, "The users of a bulk job have to be an array, and are of type Undefined"],
      [greetings, null, "The second argument of a send has to be an object, and is of type Null"]
    ]
    for (const [job, options, sentence] of wrong) {
      const { failure } = Simulation.run(1, ({ bulk }) => Reflect.apply(bulk, undefined, [job, options]), calm)
      assert.include(failure, sentence)
    }
  })
})
