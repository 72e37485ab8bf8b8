import type { BulkUser } from "#schemas/Bulk.ts"
import { MessageId } from "#schemas/MessageId.ts"
import { Scope } from "#schemas/Scope.ts"
import * as Add from "#src/delivery/bulk/Add.ts"
import { Jobs } from "#src/delivery/bulk/Jobs.ts"
import * as Page from "#src/delivery/bulk/Page.ts"
import * as Progress from "#src/delivery/bulk/Progress.ts"
import type { Place } from "#src/delivery/Expansion.ts"
import * as Ids from "#src/delivery/intake/Ids.ts"
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

/** The ids of the messages that a job tells of once its request has come to this place. */
const told = Effect.fnUntraced(function*(job: string, { index, made }: Place) {
  const jobs = yield* Jobs
  const { items } = yield* jobs.users(scope, job, { cursor: undefined, limit: 1_000 })
  const running = { state: "COMPLETED" as const, messages: 1, index, isNumbered: made !== undefined }
  return items.map((one) => Progress.ofUser({ requestId: id, running }, one).messageId).filter((one) =>
    one !== undefined
  )
})

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
        const made: Array<string> = []
        let place: Place = { index: 0 }
        while (true) {
          const { isLast, page, reached } = yield* Page.next({ request, job, place, size, at: 0, shards: 4, jobs })
          // A page that is made again is the same.
          const again = yield* Page.next({ request, job, place, size, at: 0, shards: 4, jobs })
          assert.deepStrictEqual(again, { isLast, page, reached })
          met.push(...page.members.map(({ recipientName }) => recipientName))
          made.push(...page.members.map(({ id }) => id))
          place = reached
          if (isLast) break
        }
        assert.deepStrictEqual(met, people)
        assert.deepStrictEqual(made, made.toSorted())
        assert.deepStrictEqual(yield* told(job, place), made)
      })
  )

  it.effect("a request that an earlier version began goes on with the ids that it told of", () =>
    Effect.gen(function*() {
      const jobs = yield* Jobs
      const job = yield* jobs.create(scope, { event: "e" })
      const add = yield* Add.make
      yield* add(scope, job, [1, 2, 3].map(userOf))
      const page = { request, job, size: 9, at: 0, shards: 4, jobs }
      const { page: { members }, reached } = yield* Page.next({ ...page, place: { index: 1 } })
      assert.deepStrictEqual(yield* told(job, reached), [
        Ids.member(id, "1:user:user-1"),
        ...members.map(({ id }) => id)
      ])
    }))

  it.effect("a user who has no language in the job is written to in the job's, and is not said to speak it", () =>
    Effect.gen(function*() {
      const jobs = yield* Jobs
      const job = yield* jobs.create(scope, { event: "e" })
      const add = yield* Add.make
      yield* add(scope, job, [
        { recipient: "none" },
        { recipient: "null", to: { locale: null } },
        { recipient: "own", profile: { locale: "fr" } },
        { to: { user_id: "there", locale: "it" } }
      ])
      const page = { request, job, place: { index: 0 }, size: 9, at: 0, shards: 4, jobs }
      const locales = Effect.fnUntraced(function*(locale: string | undefined) {
        const { page: { members, profiles } } = yield* Page.next({ ...page, locale })
        assert.deepStrictEqual(profiles.map(({ profile }) => profile["locale"]), [undefined, undefined, "fr", "it"])
        return members.map(({ recipient }) => recipient.locale ?? undefined)
      })
      assert.deepStrictEqual(yield* locales("de_AT"), ["de_AT", "de_AT", "fr", "it"])
      assert.deepStrictEqual(yield* locales(undefined), [undefined, undefined, "fr", "it"])
    }))
})
