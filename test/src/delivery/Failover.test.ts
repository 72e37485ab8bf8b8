import { Unavailable } from "#schemas/DeliveryError.ts"
import { MessageLog } from "#src/reports/MessageLog.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { memory } from "#test/crash/EngineStores.ts"
import * as EngineNode from "#test/support/EngineNode.ts"
import * as Fake from "#test/support/Fake.ts"
import { assert, describe, layer } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"

const second = 1_000
const hour = 3_600_000

const fail: Fake.Cue = { _tag: "Fail", error: new Unavailable({ detail: "the vendor is down" }) }
const accept: Fake.Cue = { _tag: "Accept", after: 0 }

/** Runs messages over these providers of the e-mail channel until nothing is left to do, in virtual time. */
const run = Effect.fnUntraced(function*(
  scripts: ReadonlyArray<{ readonly key: string; readonly script: ReadonlyArray<Fake.Cue> }>,
  messages: number
) {
  const place = yield* EngineNode.place
  const { at } = place
  const cluster = yield* EngineNode.make(memory.node)
  const providers = yield* Effect.forEach(scripts, (options) => Fake.make({ ...options, channel: "email" }))
  const node = yield* cluster.start({ shards: [place.shard], vendors: () => providers.map(({ vendor }) => vendor) })
  const ids = Array.from({ length: messages }, () => Fixture.id(at))
  for (const id of ids) {
    const recipientKey = `${place.scope}:email:${id}@example.com`
    yield* node.accept(
      Fixture.message(place, { id, requestId: id, recipientKey, recipient: { email: `${id}@example.com` } })
    )
  }
  for (let turns = 0; turns < 2_000; turns++) {
    yield* cluster.settle
    const { next } = yield* cluster.due([place.shard])
    if (next === undefined) break
    yield* TestClock.setTime(next)
  }
  const log = yield* MessageLog
  const records = yield* Effect.forEach(ids, (id) => log.get(place.scope, id))
  const attempts = yield* Effect.forEach(ids, (id) => log.attempts(place.scope, id))
  const calls = yield* Effect.forEach(providers, (provider) => provider.calls)
  return { records, attempts, calls, at, ended: yield* Clock.currentTimeMillis }
}, Effect.scoped)

describe("Failover", () => {
  layer(memory.shared)((it) => {
    it.effect("sends every message although one of two providers fails three calls in ten", () =>
      Effect.gen(function*() {
        const flaky = Array.from({ length: 600 }, (_, call) => call % 10 < 3 ? fail : accept)
        const { calls, records } = yield* run([{ key: "flaky", script: flaky }, { key: "steady", script: [] }], 100)
        assert.deepStrictEqual([...new Set(records.map(({ status }) => status))], ["SENT"])
        assert.isAbove(calls[0]?.length ?? 0, 100, "the flaky provider is asked first, and again")
      }))

    it.effect("goes to the next provider when the first stays down until its circuit opens, and the timeline shows it", () =>
      Effect.gen(function*() {
        const dead = Array.from({ length: 200 }, () => fail)
        const { attempts, records } = yield* run([{ key: "dead", script: dead }, { key: "alive", script: [] }], 1)
        assert.strictEqual(records[0]?.status, "SENT")
        const providers = attempts[0]?.map(({ provider }) => provider)
        assert.deepStrictEqual(providers, ["dead", "dead", "dead", "dead", "dead", "alive"])
        const [first, last] = [attempts[0]?.[0], attempts[0]?.at(-1)]
        const took = (last?.startedAt ?? 0) - (first?.startedAt ?? 0)
        // 5, 10, 20 and 40 s, each less up to a fifth.
        assert.isAtLeast(took, 60 * second)
        assert.isAtMost(took, 75 * second)
      }))

    it.effect("leaves a provider alone that failed five times in a row: later messages go straight to the other", () =>
      Effect.gen(function*() {
        const dead = Array.from({ length: 2_000 }, () => fail)
        const { calls, records } = yield* run([{ key: "dead", script: dead }, { key: "alive", script: [] }], 50)
        assert.deepStrictEqual([...new Set(records.map(({ status }) => status))], ["SENT"])
        assert.isAtLeast(calls[0]?.length ?? 0, 5, "the dead provider is asked first")
        assert.isAtMost(calls[0]?.length ?? 0, 50, "fifty messages do not each wait out the dead provider's schedule")
        assert.lengthOf(calls[1] ?? [], 50)
      }))

    it.effect("calls a provider whose configuration was mended at once, however long the circuit of the old one is open", () =>
      Effect.gen(function*() {
        const place = yield* EngineNode.place
        let version = "broken"
        let refused = 0
        const sent: Array<string> = []
        const cluster = yield* EngineNode.make(memory.node)
        const node = yield* cluster.start({
          shards: [place.shard],
          vendors: () => [{
            _tag: "Vendor",
            key: "vendor",
            get version() {
              return version
            },
            channel: "email",
            reaches: () => true,
            send: ({ messageId }) => {
              if (version === "broken") {
                refused++
                return Effect.fail(new Unavailable({ detail: "wrong host" }))
              }
              sent.push(messageId)
              return Effect.succeed({ reference: undefined })
            }
          }]
        })
        const send = (n: number) => {
          const message = Fixture.message(place, {
            recipientKey: `${place.scope}:${n}`,
            recipient: { email: `person-${n}@example.com` }
          })
          return Effect.as(Effect.andThen(node.accept(message), cluster.settle), message.id)
        }
        for (let n = 0; n < 8; n++) yield* send(n)
        assert.strictEqual(refused, 5, "the circuit is open")
        version = "mended"
        assert.deepStrictEqual(sent, [yield* send(8)])
      }).pipe(Effect.scoped))

    it.effect("ends UNDELIVERABLE at the deadline, and says why, when both providers are dead", () =>
      Effect.gen(function*() {
        const dead = Array.from({ length: 2_000 }, () => fail)
        const { at, attempts, calls, ended, records } = yield* run(
          [{ key: "one", script: dead }, { key: "two", script: dead }],
          3
        )
        for (const { error, reason, status } of records) {
          assert.deepStrictEqual([status, reason, error], ["UNDELIVERABLE", "FAILED", "the vendor is down"])
        }
        assert.isTrue(calls.every(({ length }) => length > 1), "both are asked, and again")
        for (const tried of attempts) assert.isAtLeast((tried.at(-1)?.startedAt ?? 0) - at, 23 * hour)
        assert.isAtMost(ended - at, 24 * hour)
      }))
  })
})
