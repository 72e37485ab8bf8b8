import type { MessageId } from "#schemas/MessageId.ts"
import * as FirstSteps from "#src/delivery/journal/FirstSteps.ts"
import type { StepResult } from "#src/delivery/Journal.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, Exit, Fiber, Scope } from "effect"
import { TestClock } from "effect/testing"

const intentOf = (message: ReturnType<typeof Fixture.message>) =>
  Fixture.step(message, 1, {
    attempt: Fixture.attempt(1, "intent"),
    lifecycle: ["Route"],
    conditional: true,
    tries: undefined,
    dueAt: undefined
  })

const messages = Effect.map(Fixture.world, (world) => [Fixture.message(world), Fixture.message(world)] as const)

const written = (...ids: ReadonlyArray<MessageId>): ReadonlyMap<MessageId, StepResult> =>
  new Map(ids.map((id) => [id, { _tag: "Written", status: "ROUTED", provenAtNanos: 1n }]))

const none: ReadonlyMap<MessageId, StepResult> = new Map()

/** Its first step, from where the message came to it until it goes on. */
const coming = Effect.fnUntraced(function*(step: ReturnType<typeof intentOf>) {
  const first = (yield* FirstSteps.FirstSteps).of(step)
  assert.isDefined(first, "the message is not stored yet")
  return yield* Effect.forkScoped(first ?? Effect.undefined, { startImmediately: true })
})

layer(FirstSteps.layer)("FirstSteps", (it) => {
  it.effect("P4: nobody goes on before the commit, and each goes on with what it made of its step", () =>
    Effect.gen(function*() {
      const firsts = yield* FirstSteps.FirstSteps
      const [a, b] = yield* messages
      const gathering = yield* firsts.gather
      for (const { id } of [a, b]) assert.isTrue(gathering.begin(id, () => true))
      const fibers = [yield* coming(intentOf(a)), yield* coming(intentOf(b))]
      assert.deepStrictEqual(yield* gathering.intents, [intentOf(a), intentOf(b)])
      yield* TestClock.adjust("1 minute")
      assert.isTrue(fibers.every((fiber) => fiber.pollUnsafe() === undefined))
      assert.isTrue(gathering.end(written(a.id)))
      assert.deepStrictEqual(yield* Effect.forEach(fibers, Fiber.join), [written(a.id).get(a.id), undefined])
      assert.isUndefined(firsts.of(intentOf(a)), "from then on its steps are written like any other's")
    }))

  it.effect("what is over holds no step, although the turn whose scope it has goes on", () =>
    Effect.gen(function*() {
      const [message] = yield* messages
      const gathering = yield* (yield* FirstSteps.FirstSteps).gather
      gathering.begin(message.id, () => true)
      yield* coming(intentOf(message))
      assert.lengthOf(yield* gathering.intents, 1)
      gathering.end(written(message.id))
      assert.isEmpty(yield* gathering.intents)
    }))

  it.effect("who is late is stored without its step, and writes it by itself after the commit", () =>
    Effect.gen(function*() {
      const firsts = yield* FirstSteps.FirstSteps
      const [early, late] = yield* messages
      const gathering = yield* firsts.gather
      for (const { id } of [early, late]) gathering.begin(id, () => true)
      const first = yield* coming(intentOf(early))
      const waiting = yield* Effect.forkScoped(gathering.intents, { startImmediately: true })
      yield* TestClock.adjust("249 millis")
      assert.isUndefined(waiting.pollUnsafe())
      yield* TestClock.adjust("1 millis")
      assert.deepStrictEqual(yield* Fiber.join(waiting), [intentOf(early)])
      const second = yield* coming(intentOf(late))
      yield* TestClock.adjust("1 minute")
      assert.isUndefined(second.pollUnsafe(), "its message may not be stored yet")
      gathering.end(written(early.id))
      assert.deepStrictEqual([yield* Fiber.join(first), yield* Fiber.join(second)], [
        written(early.id).get(early.id),
        undefined
      ])
    }))

  it.effect("who was there before is refused whenever it comes to a step, until it has left this node's hands", () =>
    Effect.gen(function*() {
      const firsts = yield* FirstSteps.FirstSteps
      const [early, late] = yield* messages
      const gathering = yield* firsts.gather
      for (const { id } of [early, late]) gathering.begin(id, () => true)
      const waiting = yield* coming(intentOf(early))
      const asked = firsts.of(intentOf(late))
      const refused: StepResult = { _tag: "Refused" }
      gathering.end(new Map([early, late].map(({ id }) => [id, refused])))
      assert.deepStrictEqual(yield* Fiber.join(waiting), refused)
      assert.deepStrictEqual(yield* asked ?? Effect.undefined, refused)
      for (const { id } of [early, late]) {
        assert.isFalse(firsts.over(id))
        assert.isUndefined(firsts.of(intentOf(id === early.id ? early : late)))
      }
      const another = yield* firsts.gather
      another.begin(late.id, () => true)
      another.end(new Map([[late.id, refused]]))
      assert.deepStrictEqual(yield* firsts.of(intentOf(late)) ?? Effect.undefined, refused)
    }))

  it.effect("a step that is more than the intent of a first call is written by itself after the commit", () =>
    Effect.gen(function*() {
      const firsts = yield* FirstSteps.FirstSteps
      const [message] = yield* messages
      for (
        const more of [
          { dueAt: null },
          { tries: 0 },
          { conditional: false },
          { lifecycle: ["Due" as const, "Route" as const] },
          { attempt: Fixture.attempt(1, "accepted") },
          { attempt: Fixture.attempt(2, "intent") },
          { attempt: undefined }
        ]
      ) {
        const gathering = yield* firsts.gather
        gathering.begin(message.id, () => true)
        const first = yield* coming({ ...intentOf(message), ...more })
        assert.deepStrictEqual(yield* gathering.intents, [])
        gathering.end(none)
        assert.isUndefined(yield* Fiber.join(first))
      }
    }))

  it.effect("nobody is waited for who has left this node's hands, and the end tells of it", () =>
    Effect.gen(function*() {
      const firsts = yield* FirstSteps.FirstSteps
      const [message] = yield* messages
      const gathering = yield* firsts.gather
      gathering.begin(message.id, () => true)
      firsts.over(message.id)
      assert.deepStrictEqual(yield* gathering.intents, [])
      assert.isFalse(gathering.end(none))
    }))

  it.effect("a message is begun for one commit only, and not at all if it cannot be", () =>
    Effect.gen(function*() {
      const firsts = yield* FirstSteps.FirstSteps
      const [message, other] = yield* messages
      const gathering = yield* firsts.gather
      const next = yield* firsts.gather
      assert.isTrue(gathering.begin(message.id, () => true))
      assert.isFalse(next.begin(message.id, () => assert.fail("it is in hand")))
      assert.isFalse(next.begin(other.id, () => false))
      assert.isUndefined(firsts.of(intentOf(other)))
      assert.deepStrictEqual(yield* next.intents, [])
      gathering.end(none)
    }))

  it.effect("a first step that begins to wait after the end waits for nothing", () =>
    Effect.gen(function*() {
      const firsts = yield* FirstSteps.FirstSteps
      const [message] = yield* messages
      const gathering = yield* firsts.gather
      gathering.begin(message.id, () => true)
      const first = firsts.of(intentOf(message))
      gathering.end(none)
      const fiber = yield* Effect.forkScoped(first ?? Effect.undefined, { startImmediately: true })
      assert.deepStrictEqual(fiber.pollUnsafe(), Exit.succeed(undefined))
    }))

  it.effect("A5: who was in hand when a commit failed is to be looked for once it is not: the commit may have been made again", () =>
    Effect.gen(function*() {
      const firsts = yield* FirstSteps.FirstSteps
      const [early, late] = yield* messages
      for (const results of [none, undefined]) {
        const gathering = yield* firsts.gather
        for (const { id } of [early, late]) gathering.begin(id, () => true)
        assert.isFalse(firsts.over(early.id), "the end tells of it")
        assert.isFalse(gathering.end(results))
        assert.strictEqual(firsts.over(late.id), results === undefined)
        assert.isFalse(firsts.over(late.id), "once")
      }
    }))

  it.effect("who waits to be stored goes on after the commit, made or failed, which does not wait for it", () =>
    Effect.gen(function*() {
      const firsts = yield* FirstSteps.FirstSteps
      const [early, waits] = yield* messages
      yield* firsts.stored(waits.id)
      for (const results of [none, undefined]) {
        const gathering = yield* firsts.gather
        for (const { id } of [early, waits]) gathering.begin(id, () => true)
        const waiting = yield* Effect.forkScoped(firsts.stored(waits.id), { startImmediately: true })
        yield* coming(intentOf(early))
        assert.deepStrictEqual(yield* gathering.intents, [intentOf(early)])
        yield* TestClock.adjust("1 minute")
        assert.isUndefined(waiting.pollUnsafe())
        gathering.end(results)
        yield* Fiber.join(waiting)
        assert.isUndefined(firsts.of(intentOf(waits)), "its steps are written like any other's")
      }
    }))

  it.effect("a commit that is given up lets all go on", () =>
    Effect.gen(function*() {
      const firsts = yield* FirstSteps.FirstSteps
      const [message] = yield* messages
      const scope = yield* Scope.make()
      const gathering = yield* Scope.provide(firsts.gather, scope)
      gathering.begin(message.id, () => true)
      const first = yield* coming(intentOf(message))
      yield* Scope.close(scope, Exit.void)
      assert.isUndefined(yield* Fiber.join(first))
      assert.isUndefined(firsts.of(intentOf(message)))
    }))
})
