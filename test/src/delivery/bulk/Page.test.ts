import type { BulkUser } from "#schemas/Bulk.ts"
import { MessageId } from "#schemas/MessageId.ts"
import { Scope } from "#schemas/Scope.ts"
import * as Add from "#src/delivery/bulk/Add.ts"
import { Jobs } from "#src/delivery/bulk/Jobs.ts"
import * as Page from "#src/delivery/bulk/Page.ts"
import * as Progress from "#src/delivery/bulk/Progress.ts"
import type { Place } from "#src/delivery/Expansion.ts"
import * as Stores from "#test/layers/memory/Stores.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"

const scope = Scope.make(1)
const id = MessageId.make("1-67890abc-0123456789abcdef01234567")
const request = { id, scope, keyState: "published", instructions: {}, acceptedAt: 0 } as const

/** Users out of few people, so that many are named twice; -1 is nobody. */
const People = Schema.Array(Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: -1, maximum: 6 }))))
const PageSize = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 4 }))

const userOf = (person: number): BulkUser => person < 0 ? { data: { person } } : { recipient: `user-${person}` }

layer(Stores.layer)("pages of a bulk job", (it) => {
  it.effect.prop(
    "A6: whatever is added in whatever batches, each person has one message, in the order of the first mention; other mentions are refused",
    { batches: People, size: PageSize },
    ({ batches, size }) =>
      Effect.gen(function*() {
        const jobs = yield* Jobs
        const add = yield* Add.make
        const job = yield* jobs.create(scope, { event: "e" })
        const known = new Set<number>()
        for (const batch of batches) {
          const { refused, taken } = yield* add(scope, job, batch.map(userOf))
          const others = batch.filter((person) => person < 0 || known.has(person) || !known.add(person))
          assert.deepStrictEqual(refused.map(({ user }) => user), others.map(userOf))
          assert.deepStrictEqual(
            refused.map(({ error }) => error === "is in this job already"),
            others.map((person) => person >= 0)
          )
          assert.strictEqual(taken, batch.length - others.length)
        }
        const people = [...new Set(batches.flat())].filter((person) => person >= 0).map((person) => `user-${person}`)

        const met: Array<string> = []
        let place: Place = { index: 0 }
        while (true) {
          const made = yield* Page.next({ request, job, place, size, at: 0, shards: 4, jobs })
          // A page that is made again is the same.
          assert.deepStrictEqual(yield* Page.next({ request, job, place, size, at: 0, shards: 4, jobs }), made)
          met.push(...made.page.members.map(({ recipientName }) => recipientName))
          place = made.reached
          if (made.isLast) break
        }
        assert.deepStrictEqual(met, people)

        const { items } = yield* jobs.users(scope, job, { cursor: undefined, limit: 1_000 })
        const running = { state: "COMPLETED" as const, messages: met.length, index: place.index }
        const ids = items.map((one) => Progress.ofUser({ requestId: id, running }, one).messageId)
        assert.strictEqual(new Set(ids.filter((one) => one !== undefined)).size, people.length)
      })
  )
})
