import type { OpenMessage } from "#src/delivery/journal/OpenMessage.ts"
import type { Vendor } from "#src/delivery/Provider.ts"
import { MessageLog } from "#src/reports/MessageLog.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import * as EngineNode from "#test/support/EngineNode.ts"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import type { EngineStores } from "./EngineStores.ts"

const poison = "poison@example.com"

/** Where a poisonous message kills its process: while it is routed, or when its provider is called. `crashed`: only its pipeline. */
const ways = ["routed", "called", "crashed"] as const

const live = <S>(stores: EngineStores<S>, way: (typeof ways)[number]) =>
  Effect.gen(function*() {
    const place = yield* EngineNode.place
    const shards = [place.shard]
    const cluster = yield* EngineNode.make(stores.node)
    let deaths = 0
    const vendors = (die: () => void): ReadonlyArray<Vendor> => {
      const kill = () => {
        deaths++
        die()
      }
      return [{
        _tag: "Vendor",
        key: "killer",
        channel: "email",
        reaches: (profile) => {
          if (way === "routed" && profile["email"] === poison) kill()
          if (way === "crashed" && profile["email"] === poison) {
            deaths++
            throw new Error("poison")
          }
          return true
        },
        send: ({ profile }) =>
          Effect.suspend(() => {
            if (way === "called" && profile["email"] === poison) kill()
            return Effect.succeed({ reference: undefined })
          })
      }]
    }
    const born = cluster.start({ shards, vendors })
    const to = (recipientKey: string) =>
      Fixture.message(place, { recipientKey, recipient: { email: recipientKey } satisfies OpenMessage["recipient"] })
    const bad = to(poison)
    const neighbours = [to("before@example.com"), bad, to("after@example.com"), to("last@example.com")]

    let node = yield* born
    yield* cluster.settle
    for (const message of neighbours) yield* node.accept(message)
    for (let turns = 0; turns < 200; turns++) {
      yield* cluster.settle
      if (node.isDead()) {
        node = yield* born
        continue
      }
      const { next, open } = yield* cluster.due(shards)
      assert.strictEqual(open, 0)
      if (next === undefined) break
      yield* TestClock.setTime(next)
    }
    const log = yield* MessageLog
    const records = yield* Effect.forEach(neighbours, ({ id }) => log.get(place.scope, id))
    const history = yield* log.history(place.scope, bad.id)
    return { deaths, statuses: records.map(({ status }) => status), bad: records[1], last: history.at(-1) }
  }).pipe(Effect.scoped)

/** X1: a message that kills its process, on the real engine in virtual time. */
export const suite = <S>(stores: EngineStores<S>) =>
  layer(stores.shared, { timeout: 60_000 })(`poison: ${stores.name}`, (it) => {
    for (const way of ways) {
      it.effect(
        `a message whose ${
          way === "crashed" ? "pipeline dies" : `process dies when it is ${way}`
        } is quarantined after five tries, and its neighbours are sent`,
        () =>
          Effect.gen(function*() {
            const { bad, deaths, last, statuses } = yield* live(stores, way)
            // The first death of a process is that of an ordinary run; then five tries are counted.
            assert.strictEqual(deaths, way === "crashed" ? 5 : 6)
            assert.deepStrictEqual(statuses, ["SENT", "UNDELIVERABLE", "SENT", "SENT"])
            assert.strictEqual(bad?.reason, "FAILED")
            assert.match(bad?.error ?? "", /Quarantined/)
            assert.deepStrictEqual([last?.type, last?.reason], ["UNDELIVERABLE", "FAILED"])
          }),
        60_000
      )
    }
  })
