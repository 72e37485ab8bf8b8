import * as Faults from "#layers/testing/Faults.ts"
import * as Simulation from "#layers/testing/Simulation.ts"
import { serve } from "#test/layers/http/Server.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

const content = { title: "Hello", body: "Ada" }
const to = { email: "ada@example.com" }
const tags = ["x".repeat(31)]
const calm = { nodes: 1, faults: Faults.none }

type Send = Parameters<Simulation.World["send"]>[0]

describe("a send in a world", () => {
  it.effect("is refused in the words of the API, and the story goes on", () =>
    Effect.gen(function*() {
      const { call } = yield* serve
      const sends: ReadonlyArray<Send> = [
        { to, content, metadata: { tags } },
        { to, content, delay: { duration: -5 } },
        { to, content, delay: { duration: -5 }, metadata: { tags } },
        { to: { user_id: "" }, content },
        { to: [], content },
        { to }
      ]
      for (const message of sends) {
        const api = yield* call("POST", "/send", { body: { message } })
        const { failure, requests, stored } = Simulation.run(
          1,
          (world) => Effect.andThen(world.send(message), world.send({ to, content })),
          calm
        )
        const [refused, sent] = requests
        assert.strictEqual(failure, undefined)
        assert.deepStrictEqual(refused?.tries.map(({ body, status }) => [status, body]), [[api.status, api.text]])
        assert.strictEqual(api.status, 400)
        assert.deepStrictEqual([refused?.requestId, refused?.message], [undefined, message])
        assert.isDefined(refused?.tries[0]?.answeredAt)
        assert.deepStrictEqual(stored.messages().map(({ id }) => String(id)), [sent?.requestId])
      }
    }))

  it("P5: gets the first answer again under the same key, also where that was a refusal", () => {
    const bad = { to, content, metadata: { tags } }
    const good = { to, content }
    const statuses = (sends: ReadonlyArray<Send>) =>
      Simulation.run(1, (world) => Effect.forEach(sends, (send) => world.send(send, { key: "k" })), calm)
        .requests.map(({ tries }) => tries.at(-1)?.status)
    assert.deepStrictEqual(statuses([bad, good]), [400, 400])
    assert.deepStrictEqual(statuses([{ to }, good]), [400, 400])
    assert.deepStrictEqual(statuses([good, bad]), [202, 202])
  })
})
