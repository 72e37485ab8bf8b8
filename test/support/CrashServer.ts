/** The whole server over a provider that keeps a ledger outside of it: what the crash suites start and kill. */
import * as App from "#layers/App.ts"
import * as Fake from "#layers/providers/Fake.ts"
import * as Run from "#layers/Run.ts"
import { Unavailable } from "#schemas/DeliveryError.ts"
import type { Vendor } from "#src/delivery/Provider.ts"
import { Effect, Random } from "effect"
import { openSync, writeSync } from "node:fs"

/** One line per call, `<message id> <attempt> <pid>`; a line this short is appended whole (O_APPEND) and survives kill -9. */
const ledger = openSync(process.env["CRASH_LEDGER"] ?? "/dev/null", "a")

/** A call takes up to so many ms, so that a kill finds some in flight. */
const slowest = Number(process.env["CRASH_PROVIDER_MILLIS"] ?? "20")

const named = (delivery: Parameters<Vendor["send"]>[0], name: string) =>
  delivery.profile["email"] === `${name}@example.com`

const vendor: Vendor = {
  _tag: "Vendor",
  key: "ledger",
  channel: "email",
  reaches: ({ email }) => typeof email === "string",
  send: Effect.fnUntraced(function*(delivery) {
    yield* Effect.sync(() => writeSync(ledger, `${delivery.messageId} ${delivery.attempt} ${process.pid}\n`))
    if (named(delivery, "poison")) process.kill(process.pid, "SIGKILL")
    if (named(delivery, "hang")) return yield* Effect.never
    if (named(delivery, "refused")) return yield* new Unavailable({ detail: "not today" })
    if (slowest > 0) yield* Effect.sleep(yield* Random.nextIntBetween(0, slowest))
    return { reference: `${delivery.messageId}-${delivery.attempt}` }
  })
}

Run.main(App.layer(Fake.layer([vendor])))
