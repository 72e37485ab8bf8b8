import * as Handover from "#src/delivery/Handover.ts"
import * as Pipeline from "#src/delivery/Pipeline.ts"
import * as Shards from "#src/delivery/Shards.ts"
import * as Drafts from "#src/delivery/Drafts.ts"
import * as Ids from "#src/delivery/Ids.ts"
import * as Fake from "#layers/providers/Fake.ts"
import { Journal } from "#src/delivery/Journal.ts"
import { Profiles } from "#src/people/Profiles.ts"
import { Effect, Layer, Option, Result, References, Latch } from "effect"
import { randomBytes } from "node:crypto"
const N = 20000
let done = 0
const latch = Latch.makeUnsafe()
const journal = Journal.of({
  accept: () => Effect.die(0) as any, observe: () => Effect.die(0) as any,
  record: (s) => Effect.callback((resume) => { queueMicrotask(() => { if (s.dueAt === null && ++done === N) Latch.openUnsafe(latch); resume(Effect.succeed({ _tag: "Written", status: "SENT", committedAtNanos: process.hrtime.bigint() })) }) }),
  take: (shard) => Effect.succeed({ shard, epoch: 1, seq: 0 }), due: () => Effect.succeed({ rows: [], complete: true, next: undefined })
} as any)
const Prof = Layer.succeed(Profiles, { find: () => Effect.succeed(Option.some({ email: "a@b.c" })) } as any)
const L = Shards.layer.pipe(Layer.provideMerge(Pipeline.layer), Layer.provideMerge(Fake.layer([Fake.nothing("null", "email")])), Layer.provide(Prof), Layer.provideMerge(Layer.succeed(Journal, journal)), Layer.provideMerge(Handover.layer), Layer.provide(Layer.succeed(References.TracerEnabled, false)))
const mk = (i: number) => { const at = Date.now(); const requestId = Ids.make(at, randomBytes(11)); return Result.getOrThrow(Drafts.make({ principal: { scope: 1 as any, keyState: "published" }, requestId, to: { user_id: "user-" + (i % 5000), email: "user-" + (i % 5000) + "@example.com" } as any, instructions: { content: { title: "Hi", body: "Hello {{name}}" }, data: { name: "Ada", order: { id: "A-1", items: [{ sku: "x", qty: 2 }, { sku: "y", qty: 1 }] } }, routing: { method: "single", channels: ["email"] } } as any, at, shards: 64 })).messages[0]! }
const main = Effect.gen(function*() {
  const shards = yield* Shards.Shards; const h = yield* Handover.Handover
  for (let s = 0; s < 64; s++) yield* Effect.forkScoped(shards.own(s, "x"))
  yield* Effect.sleep(300)
  for (let r = 0; r < 3; r++) {
    done = 0; Latch.closeUnsafe(latch)
    const ms = Array.from({ length: N }, (_, i) => mk(i))
    const c0 = process.cpuUsage()
    for (let i = 0; i < N; i += 500) { yield* h.offer(ms.slice(i, i + 500)); while (done < i + 400) yield* Effect.sleep(0) }
    yield* latch.await
    const c = process.cpuUsage(c0); console.log("engine µs/message", ((c.user + c.system) / N).toFixed(1))
  }
}).pipe(Effect.scoped, Effect.provide(L))
await Effect.runPromise(main as any).catch((e) => console.error(e)); process.exit(0)
