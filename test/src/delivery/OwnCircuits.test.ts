import * as Webhook from "#layers/providers/Webhook.ts"
import type { JsonMap } from "#schemas/Optional.ts"
import { Outbound, OutboundNotSent } from "#src/delivery/Outbound.ts"
import { MessageLog } from "#src/reports/MessageLog.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { memory } from "#test/crash/EngineStores.ts"
import * as EngineNode from "#test/support/EngineNode.ts"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"

const dead = "https://dead.example/hook"
const well = "https://well.example/hook"

describe("The circuits of webhooks", () => {
  it.effect("one recipient's dead endpoint holds up nobody else's, and is itself left alone", () =>
    Effect.gen(function*() {
      const place = yield* EngineNode.place
      const { at } = place
      const called: Array<string> = []
      const webhook = yield* Webhook.make.pipe(Effect.provideService(Outbound, {
        request: ({ url }) => {
          called.push(url)
          return url === dead
            ? new OutboundNotSent({ stage: "connect", detail: "dead.example: ECONNREFUSED" })
            : Effect.succeed({ status: 200, headers: {}, body: "", truncated: false })
        }
      }))
      const cluster = yield* EngineNode.make(memory.node)
      const node = yield* cluster.start({ shards: [place.shard], vendors: () => [webhook] })
      const send = Effect.fnUntraced(function*(url: string, override: JsonMap = {}) {
        const id = Fixture.id(at)
        const recipientKey = `${place.scope}:webhook:${id}`
        const instructions = {
          content: { title: "Hello", body: "World" },
          channels: { webhook: { override } }
        }
        yield* node.accept(
          Fixture.message(place, { id, requestId: id, recipientKey, recipient: { webhook: { url } }, instructions })
        )
        return id
      })
      const until = Effect.fnUntraced(function*(end: number) {
        for (let now = yield* Clock.currentTimeMillis; now < end; now = yield* Clock.currentTimeMillis) {
          yield* cluster.settle
          yield* TestClock.setTime(now + 500)
        }
        yield* cluster.settle
      })
      for (let n = 0; n < 8; n++) yield* send(dead)
      yield* until(at + 20_000)
      const tries = called.length
      assert.isAtMost(tries, 8 + 5, "the circuit of the dead one is open")
      const others = [
        yield* send(well),
        yield* send("https://well.example/another"),
        yield* send(dead, { url: well })
      ]
      yield* until(at + 21_000)
      const log = yield* MessageLog
      for (const id of others) assert.strictEqual((yield* log.get(place.scope, id)).status, "SENT")
    }).pipe(Effect.scoped, Effect.provide(memory.shared)))
})
