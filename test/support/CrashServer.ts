/** The whole server over a provider that keeps a ledger outside of it: what the crash suites start and kill. */
import * as App from "#layers/App.ts"
import * as Fake from "#layers/providers/Fake.ts"
import * as Run from "#layers/Run.ts"
import type { Profile } from "#schemas/Profile.ts"
import type { Vendor } from "#src/delivery/Provider.ts"
import { Effect, Random } from "effect"
import { openSync, writeSync } from "node:fs"

/** One line per call, `<message id> <attempt> <pid>`; a line this short is appended whole (O_APPEND) and survives kill -9. */
const ledger = openSync(process.env["CRASH_LEDGER"] ?? "/dev/null", "a")

/** A call takes up to so many ms, so that a kill finds some in flight. */
const slowest = Number(process.env["CRASH_PROVIDER_MILLIS"] ?? "20")

const named = (profile: Profile, name: string) => profile["email"] === `${name}@example.com`

const die = () => process.kill(process.pid, "SIGKILL")

const vendor: Vendor = {
  _tag: "Vendor",
  key: "ledger",
  channel: "email",
  reaches: (profile) => {
    if (named(profile, "poison-routing")) die()
    return typeof profile["email"] === "string"
  },
  send: Effect.fnUntraced(function*(delivery) {
    yield* Effect.sync(() => writeSync(ledger, `${delivery.messageId} ${delivery.attempt} ${process.pid}\n`))
    if (named(delivery.profile, "poison-call")) die()
    if (named(delivery.profile, "hang")) return yield* Effect.never
    if (slowest > 0) yield* Effect.sleep(yield* Random.nextIntBetween(0, slowest))
    return { reference: `${delivery.messageId}-${delivery.attempt}` }
  })
}

Run.main(App.layer(Fake.layer([vendor])))
