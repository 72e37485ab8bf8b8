import { CurrentKey } from "#src/access/Idempotency.ts"
import { Jobs } from "#src/delivery/bulk/Jobs.ts"
import * as Run from "#src/delivery/bulk/Run.ts"
import { Expansions } from "#src/delivery/expansion/Expansions.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import * as Stores from "#test/layers/memory/Stores.ts"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"

const start = Effect.gen(function*() {
  const place = yield* Fixture.world
  yield* TestClock.setTime(place.at)
  const jobs = yield* Jobs
  const run = yield* Run.make
  const id = yield* jobs.create(place.scope, { event: "welcome" })
  yield* jobs.add(place.scope, id, [{ key: "ada", user: { recipient: "ada" }, error: undefined }])
  const principal = { scope: place.scope, keyState: "draft" } as const
  return {
    ...place,
    jobs,
    id,
    asked: (value: string, scope = place.scope) =>
      run({ ...principal, scope }, id, Fixture.response(value, 204)).pipe(
        Effect.provideService(CurrentKey, Fixture.key(place, { path: `/bulk/${id}/run`, value }))
      )
  }
})

layer(Stores.layer)("the run of a bulk job", (it) => {
  it.effect("a job is run once, whatever the keys; callers who run it at once make one request of it", () =>
    Effect.gen(function*() {
      const { asked, id, jobs, scope } = yield* start
      const together = yield* Effect.all([Effect.result(asked("one")), Effect.result(asked("another"))], {
        concurrency: "unbounded"
      })
      assert.include(together.map(({ _tag }) => _tag), "Success")
      const { requestId, running } = yield* jobs.find(scope, id)
      assert.strictEqual(running?.state, "RUNNING")
      for (const value of ["two", "three"]) assert.strictEqual((yield* Effect.flip(asked(value)))._tag, "JobRan")
      assert.strictEqual((yield* jobs.find(scope, id)).requestId, requestId)
    }))

  it.effect("P10: nobody of another environment runs it, or closes it", () =>
    Effect.gen(function*() {
      const { asked, id, jobs, scope } = yield* start
      const elsewhere = (yield* Fixture.world).scope
      assert.strictEqual((yield* Effect.flip(asked("one", elsewhere)))._tag, "JobNotFound")
      assert.strictEqual((yield* jobs.find(scope, id)).requestId, undefined)
    }))

  it.effect("one that was closed by a run that died before its commit is run by the next, as the same request", () =>
    Effect.gen(function*() {
      const { asked, id, jobs, scope } = yield* start
      const requestId = yield* jobs.close(scope, id)
      yield* asked("one")
      assert.strictEqual((yield* Expansions.use((all) => all.find(scope, requestId))).state, "RUNNING")
      assert.isDefined((yield* jobs.find(scope, id)).running)
    }))
})
