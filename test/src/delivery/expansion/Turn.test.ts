import { MessageId } from "#schemas/MessageId.ts"
import type { Recipient } from "#schemas/Recipient.ts"
import { Scope } from "#schemas/Scope.ts"
import { encodePlace, type OpenExpansion, start } from "#src/delivery/Expansion.ts"
import { type Advance, type Advanced, Expansions } from "#src/delivery/expansion/Expansions.ts"
import * as Turn from "#src/delivery/expansion/Turn.ts"
import { Jobs } from "#src/delivery/bulk/Jobs.ts"
import * as FirstSteps from "#src/delivery/journal/FirstSteps.ts"
import { RowRefused } from "#src/delivery/Journal.ts"
import { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import { maxTries } from "#src/delivery/shards/Quarantine.ts"
import { type Members, MembersUncounted } from "#src/people/Members.ts"
import * as Metrics from "#src/reports/Metrics.ts"
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Latch, Layer, Metric } from "effect"
import { TestClock } from "effect/testing"

const at = 1_800_000_000_000
const epoch = 7

const owner = {
  shard: 3,
  epoch,
  seq: 0,
  fenced: Deferred.makeUnsafe<void>(),
  running: 0,
  drainsUntil: undefined,
  mayBegin: () => true,
  handedOver: Effect.never,
  draining: Latch.makeUnsafe(),
  idle: Latch.makeUnsafe()
}

const row = (recipients: ReadonlyArray<Recipient>, more: Partial<OpenExpansion> = {}): OpenExpansion => ({
  id: MessageId.make("1-67890abc-0123456789abcdef01234567"),
  scope: Scope.make(1),
  shard: 3,
  keyState: "published",
  recipients: JSON.stringify(recipients),
  instructions: "{}",
  place: encodePlace(start),
  tries: 1,
  epoch,
  acceptedAt: at,
  ...more
})

const written: Advanced = { _tag: "Written", created: 2, intents: new Map() }
const passed: Advanced = { _tag: "Passed" }
const fenced: Advanced = { _tag: "Fenced" }

const jobUser = { position: 4, key: "1:user:ada", user: { recipient: "ada" }, error: undefined }

const nobody: Members["Service"] = {
  exists: () => Effect.succeed(false),
  page: (_, source) => source._tag === "List" && source.id === "crash" ? Effect.die("planted") : Effect.succeed([])
}

/** The steps of an expansion whose store gives these answers, one after the other; the last one from then on. */
const turn = Effect.fnUntraced(function*(
  answers: ReadonlyArray<Effect.Effect<Advanced, RowRefused | StoreUnavailable>>,
  members = nobody
) {
  yield* TestClock.setTime(at)
  const advances: Array<Advance> = []
  const begun: Array<string> = []
  let behind = 0
  const { advance: _, ...unused } = yield* Expansions
  const { begin, page } = Turn.make({
    expansions: {
      ...unused,
      advance: (advance) =>
        Effect.suspend(() => answers[Math.min(advances.push(advance), answers.length) - 1] ?? Effect.never)
    },
    members,
    jobs: { ...yield* Jobs, sendable: () => Effect.succeed({ users: [jobUser], isLast: true }) },
    shards: 4,
    firsts: yield* FirstSteps.FirstSteps,
    reader: { begin: ({ recipientKey }) => begun.push(recipientKey) < 0, behind: () => void behind++ }
  })
  return {
    begin: (of: OpenExpansion) => begin(owner, of),
    commit: (of: OpenExpansion) => Effect.scoped(Effect.flatMap(page(owner, of, 0), ({ commit }) => commit)),
    page: (of: OpenExpansion, open = 0) => page(owner, of, open),
    advances,
    begun,
    behind: () => behind
  }
})

const counts = Effect.map(
  Effect.all([
    Metric.value(Metrics.expansionsQuarantined),
    Metric.value(Metrics.accepted),
    Metric.value(Metrics.expanded)
  ]),
  (values) => values.map(({ count }) => Number(count))
)

/** How much these counters rose while an effect ran: requests set aside, messages accepted and expanded. */
const counted = Effect.fnUntraced(function*<A, E, R>(effect: Effect.Effect<A, E, R>) {
  const before = yield* counts
  yield* effect
  return (yield* counts).map((count, n) => count - (before[n] ?? 0))
})

const ada = { user_id: "ada" }
/** A group that nothing can be sent to. */
const misfiltered = { list_id: "l", filters: [{}] }
const stores = Layer.mergeAll(
  Layer.mock(Expansions, {}),
  Layer.mock(Jobs, {}),
  FirstSteps.layer
)

layer(stores)("The steps of a request to many", (it) => {
  it.effect("a try is counted before it begins, and the place stays", () =>
    Effect.gen(function*() {
      const { advances, begin } = yield* turn([Effect.succeed(written)])
      const found = row([ada], { tries: 2, epoch: 1 })
      assert.deepStrictEqual(yield* begin(found), { ...found, tries: 3, epoch })
      const { expansion, ...columns } = advances[0] ?? assert.fail("nothing was written")
      assert.strictEqual(expansion.id, found.id)
      assert.deepStrictEqual(columns, {
        owner: epoch,
        at,
        from: found.place,
        to: found.place,
        page: undefined,
        tries: 3,
        epoch,
        state: "RUNNING",
        dueAt: 0
      })
    }))

  it.effect("after five tries it is set aside with its reason, and counted where it was this owner who did so", () =>
    Effect.gen(function*() {
      const spent = row([ada], { tries: maxTries, epoch: 1 })
      for (const [answer, end, count] of [[written, "over", 1], [passed, "over", 0], [fenced, "fenced", 0]] as const) {
        const { advances, begin } = yield* turn([Effect.succeed(answer)])
        const rose = yield* counted(Effect.map(begin(spent), (after) => assert.strictEqual(after, end)))
        assert.deepStrictEqual(rose, [count, 0, 0])
        const [{ dueAt, error = "", state } = assert.fail("nothing was written")] = advances
        assert.deepStrictEqual([state, dueAt], ["FAILED", null])
        assert.include(error, "Quarantined")
      }
    }))

  it.effect("P2: a turn ends where a write finds another owner, or the row elsewhere", () =>
    Effect.gen(function*() {
      const unreadable = { ...nobody, page: () => Effect.fail(new StoreUnavailable({ cause: "planted" })) }
      for (const [answer, end] of [[passed, "over"], [fenced, "fenced"]] as const) {
        const plain = yield* turn([Effect.succeed(answer)])
        assert.strictEqual(yield* plain.begin(row([ada], { epoch: 1 })), end)
        assert.strictEqual(yield* plain.commit(row([ada])), end)
        assert.strictEqual(yield* plain.commit(row([misfiltered])), end)
        const away = yield* turn([Effect.succeed(answer)], unreadable)
        assert.strictEqual(yield* away.commit(row([{ list_id: "l" }])), end)
        assert.deepStrictEqual(yield* counted(plain.commit(row([ada]))), [0, 0, 0])
      }
    }))

  it.effect("a page moves the place and clears the tries; the last one ends the request with what it met", () =>
    Effect.gen(function*() {
      const whole = yield* turn([Effect.succeed(written)])
      const found = row([ada, { list_id: "none" }], { tries: 2 })
      assert.deepStrictEqual(
        yield* counted(Effect.map(whole.commit(found), (after) => assert.strictEqual(after, "over"))),
        [0, 2, 2]
      )
      const [{ dueAt, error, from, page, state, to, tries } = assert.fail("nothing was written")] = whole.advances
      assert.deepStrictEqual([state, dueAt, tries, error], ["COMPLETED", null, 0, "The list none does not exist"])
      assert.deepStrictEqual([from, to], [
        found.place,
        encodePlace({ index: 2, fault: "The list none does not exist" })
      ])
      assert.strictEqual(page?.members.length, 2)
      assert.strictEqual(whole.behind(), 1)
      const many = row(Array.from({ length: 1_001 }, (_, n) => ({ user_id: `u${n}`, tenant_id: `t${n % 2}` })))
      const { commit, next, size, turns } = yield* whole.page(many)
      assert.deepStrictEqual([size, [...turns].toSorted()], [1_000, ["1:t0", "1:t1"]])
      assert.deepStrictEqual(next, { ...many, place: encodePlace({ index: 1_000 }), tries: 0 })
      assert.strictEqual(yield* commit, next)
      const [, half] = whole.advances
      assert.deepStrictEqual([half?.state, half?.dueAt, half?.error, half?.epoch], ["RUNNING", 0, null, epoch])
    }))

  it.effect("of the users of a bulk job, or of recipients, as many are begun with their page as there is room for", () =>
    Effect.gen(function*() {
      const { advances, begun, page } = yield* turn([Effect.succeed(written)])
      const many = row(Array.from({ length: 1_001 }, (_, n) => ({ user_id: `u${n}` })))
      assert.strictEqual((yield* page(many, 3)).size, 3)
      assert.deepStrictEqual(begun, ["1:user:u0", "1:user:u1", "1:user:u2"])
      assert.strictEqual((yield* page(many, 5_000)).size, 1_000)
      const job = row([], { recipients: "{\"bulk_job_id\":\"job_1\"}" })
      const { commit } = yield* page(job)
      assert.strictEqual(yield* commit, "over")
      const [{ page: made, to } = assert.fail("nothing was written")] = advances
      assert.deepStrictEqual(made?.members.map(({ recipientKey }) => recipientKey), ["1:user:ada"])
      assert.strictEqual(to, encodePlace({ index: 5, made: 5 }))
      const rows = yield* turn([Effect.succeed(written)])
      yield* rows.commit(row([ada]))
      assert.deepStrictEqual(rows.begun, [])
    }))

  it.effect("a page that cannot be made, or is refused, is tried again later and later, and a caller is told why", () =>
    Effect.gen(function*() {
      const ok = Effect.succeed(written)
      const faults = [
        [row([misfiltered]), [ok], /^filters: Each filter is /],
        [row([], { recipients: "[{\"user_id\":5}]" }), [ok], /^Its messages could not be made$/],
        [row([{ list_id: "crash" }]), [ok], /^Its messages could not be made$/],
        [row([], { recipients: "{" }), [ok], /^Its messages could not be made$/],
        [row([ada]), [new RowRefused({ cause: "planted" }), ok], /^One of its messages holds a value that/],
        [row([ada]), [Effect.die("planted"), ok], /^Its messages could not be made$/]
      ] as const
      for (const [broken, answers, said] of faults) {
        for (let tries = 1; tries <= maxTries; tries++) {
          const { advances, commit } = yield* turn(answers)
          assert.strictEqual(yield* commit({ ...broken, tries }), "over")
          const last = advances.at(-1) ?? assert.fail("nothing was written")
          assert.deepStrictEqual([last.state, last.tries, last.epoch, last.page], ["RUNNING", tries, 0, undefined])
          assert.strictEqual(last.dueAt, at + 5_000 * 2 ** tries)
          assert.match(last.error ?? "", said)
        }
      }
    }))

  it.effect("members that cannot be read are no failed try: the row steps aside, and the caller is told nothing new", () =>
    Effect.gen(function*() {
      const away = new StoreUnavailable({ cause: "planted" })
      const unreadable = { ...nobody, page: () => Effect.fail(away) }
      const { advances, commit } = yield* turn([Effect.succeed(written)], unreadable)
      assert.strictEqual(yield* commit(row([{ list_id: "l" }], { tries: 3 })), "over")
      const [{ dueAt, tries, ...one } = assert.fail("nothing was written")] = advances
      assert.deepStrictEqual([one.state, tries, one.epoch, one.from === one.to], ["RUNNING", 3, epoch, true])
      assert.isFalse("error" in one)
      assert.isAbove(dueAt ?? 0, at)
      const silent = yield* turn([Effect.fail(away)], unreadable)
      assert.strictEqual(yield* Effect.flip(silent.commit(row([{ list_id: "l" }]))), away)
    }))

  it.effect("an audience that is being counted is waited for, without a failed try", () =>
    Effect.gen(function*() {
      const uncounted = { ...nobody, page: () => Effect.fail(new MembersUncounted()) }
      const { advances, commit } = yield* turn([Effect.succeed(written)], uncounted)
      assert.strictEqual(yield* commit(row([{ audience_id: "staff" }], { tries: 1 })), "over")
      const [{ dueAt, from, state, to, tries } = assert.fail("nothing was written")] = advances
      assert.deepStrictEqual([state, tries, from === to, dueAt], ["RUNNING", 1, true, at + 500])
    }))

  it.effect("I1: where nobody knows whether a page was stored, its messages are looked for", () =>
    Effect.gen(function*() {
      const away = new StoreUnavailable({ cause: "planted" })
      const { behind, commit } = yield* turn([Effect.fail(away)])
      assert.strictEqual(yield* Effect.flip(commit(row([ada]))), away)
      assert.strictEqual(behind(), 1)
    }))
})
