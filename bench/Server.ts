import * as App from "#layers/App.ts"
import * as Run from "#layers/Run.ts"
import type { Vendor } from "#src/delivery/Provider.ts"
import * as Fake from "#test/support/Fake.ts"
import { Effect } from "effect"

/**
 * `latency`: ms that a call of the slow provider takes; `cost`: ms of this process's CPU that a call of the costly one
 * takes.
 */
const latency = 50
const cost = 2

const burn = Effect.sync(() => {
  const until = performance.now() + cost
  while (performance.now() < until);
})

const accepted = Effect.succeed({ reference: undefined })

/** The providers of BENCH_PROVIDER; with any other value, a provider that does nothing. */
const calls: Readonly<Record<string, Effect.Effect<{ readonly reference: undefined }>>> = {
  slow: Effect.delay(accepted, latency),
  costly: Effect.andThen(burn, accepted)
}

const call = calls[process.env["BENCH_PROVIDER"] ?? ""]
const vendor: Vendor = { ...Fake.nothing("null", "email"), ...(call === undefined ? {} : { send: () => call }) }

Run.main(App.layer(Fake.layer([vendor])))
