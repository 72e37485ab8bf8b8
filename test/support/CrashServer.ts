/** The whole server over a provider that keeps a ledger outside of it: what the crash suites start and kill. */
import * as App from "#layers/App.ts"
import * as Worker from "#layers/cluster/Worker.ts"
import * as Run from "#layers/Run.ts"
import type { Profile } from "#schemas/Profile.ts"
import type { Vendor } from "#src/delivery/Provider.ts"
import * as Fake from "#test/support/Fake.ts"
import { Effect, Random } from "effect"
import { openSync, writeSync } from "node:fs"
import { threadId } from "node:worker_threads"

/**
 * One line per call, `<message id> <attempt> <process> <ms> <address>`; a line this short is appended whole (O_APPEND) and survives kill -9. A
 * second file has the line again when the call ended.
 */
const file = process.env["CRASH_LEDGER"]
const ledger = openSync(file ?? "/dev/null", "a")
const ends = openSync(file === undefined ? "/dev/null" : `${file}.ends`, "a")

/** Of this machine, whatever clock the server follows; it goes on while the process is frozen. */
const now = () => Math.round(performance.timeOrigin + performance.now())

/** The longest that a call takes, in ms: long enough for a kill to find some in flight. */
const slowest = Number(process.env["CRASH_PROVIDER_MILLIS"] ?? "20")

const named = (profile: Profile, name: string) => profile["email"] === `${name}@example.com`

const die = () => process.kill(process.pid, "SIGKILL")

/** A process, and a thread of it, as one number: the workers of one process own shards of their own. */
const self = process.pid + (Worker.given === undefined ? 0 : threadId / 1_000)

const vendor: Vendor = {
  _tag: "Vendor",
  key: "ledger",
  channel: "email",
  reaches: (profile) => {
    if (named(profile, "poison-routing")) die()
    return typeof profile["email"] === "string"
  },
  // It is asked of a message that is counted, and has no intent yet.
  serverOf: (profile) => {
    if (process.env["CRASH_COUNTED"] !== undefined && String(profile["email"]).startsWith("point-counted-")) die()
    return undefined
  },
  send: Effect.fnUntraced(function*(delivery) {
    const line = () =>
      `${delivery.messageId} ${delivery.attempt} ${self} ${now()} ${String(delivery.profile["email"])}\n`
    yield* Effect.sync(() => writeSync(ledger, line()))
    if (named(delivery.profile, "poison-call")) die()
    const isPoint = (name: string) => delivery.attempt === 1 && String(delivery.profile["email"]).startsWith(name)
    if (isPoint("point-called-")) die()
    // In a worker this ends its thread, and nothing else.
    if (isPoint("point-worker-") && Worker.given !== undefined) process.exit(1)
    if (named(delivery.profile, "hang")) return yield* Effect.never
    if (String(delivery.profile["email"]).startsWith("slow-")) yield* Effect.sleep("3 seconds")
    if (slowest > 0) yield* Effect.sleep(yield* Random.nextIntBetween(0, slowest))
    yield* Effect.sync(() => writeSync(ends, line()))
    if (isPoint("point-replied-")) die()
    return { reference: `${delivery.messageId}-${delivery.attempt}` }
  })
}

// Node keeps what it compiled when a process exits, and most of these are killed. Deno has no such cache.
if (!("Deno" in globalThis)) (await import("node:module")).flushCompileCache()

Run.main(App.layer(Fake.layer([vendor])))
