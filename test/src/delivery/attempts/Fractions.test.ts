import { Unavailable } from "#schemas/DeliveryError.ts"
import type { Instructions } from "#schemas/SendMessage.ts"
import { MessageLog } from "#src/reports/MessageLog.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { memory } from "#test/crash/EngineStores.ts"
import * as EngineNode from "#test/support/EngineNode.ts"
import * as Fake from "#test/support/Fake.ts"
import { assert, describe, it } from "@effect/vitest"
import { Array, Effect } from "effect"

const down: Fake.Cue = { _tag: "Fail", error: new Unavailable({ detail: "down" }) }

/** Sends messages by e-mail, and then by text, and lets time go on until nothing is left to do. */
const send = Effect.fnUntraced(function*({ channels, script = [], times = 1, timeout }: {
  readonly timeout: Instructions["timeout"]
  readonly channels: ReadonlyArray<string>
  readonly script?: ReadonlyArray<Fake.Cue>
  readonly times?: number
}) {
  const place = yield* EngineNode.place
  const cluster = yield* EngineNode.make(memory.node)
  const providers = [
    yield* Fake.make({ key: "mail", channel: "email", script }),
    yield* Fake.make({ key: "texts", channel: "sms", script })
  ]
  const node = yield* cluster.start({ shards: [place.shard], vendors: () => providers.map(({ vendor }) => vendor) })
  const messages = Array.makeBy(times, (n) =>
    Fixture.message(place, {
      recipientKey: `${place.scope}:${n}`,
      recipient: { email: `person-${n}@example.com`, phone_number: "+15555550100" },
      instructions: {
        content: { title: "Hello", body: "World" },
        routing: { method: "single", channels },
        timeout
      }
    }))
  yield* Effect.forEach(messages, node.accept)
  yield* cluster.finish([place.shard])
  const [mail, texts] = yield* Effect.forEach(providers, ({ calls }) => Effect.map(calls, (all) => all.length))
  const ends = yield* MessageLog.use((log) => Effect.forEach(messages, ({ id }) => log.get(place.scope, id)))
  return { mail, texts, ends: [...new Set(ends.map(({ error, status }) => `${status} ${error}`))] }
})

describe("Times with a fraction of a ms", () => {
  it.effect("of an escalation are waited for, and no provider is called twice for them", () =>
    Effect.gen(function*() {
      const timeout = { criteria: "delivered", escalation: 5_000.5 } as const
      const sent = yield* send({ timeout, channels: ["email", "sms"] })
      assert.deepStrictEqual(sent, { mail: 1, texts: 1, ends: ["SENT undefined"] })
    }).pipe(Effect.scoped, Effect.provide(memory.shared)))

  it.effect("of a message's deadline end it then, also if its provider is left alone for longer", () =>
    Effect.gen(function*() {
      const script = Array.makeBy(100, () => down)
      const failed = yield* send({ timeout: { message: 25_000.5 }, channels: ["email"], script, times: 6 })
      assert.deepStrictEqual(failed.ends, ["UNDELIVERABLE down", "UNDELIVERABLE The message's deadline passed"])
    }).pipe(Effect.scoped, Effect.provide(memory.shared)))
})
