import * as App from "#layers/App.ts"
import * as Fake from "#layers/providers/Fake.ts"
import * as Run from "#layers/Run.ts"
import type { Vendor } from "#src/delivery/Provider.ts"
import { Effect } from "effect"

/** Ms that a call of a slow provider takes, and ms of this process's own time that a costly one does. */
const latency = 50
const cost = 2

const burn = Effect.sync(() => {
  const until = performance.now() + cost
  while (performance.now() < until);
})

const accepted = Effect.succeed({ reference: undefined })

/** BENCH_PROVIDER: `slow` or `costly`; otherwise one that does nothing. */
const calls: Readonly<Record<string, Effect.Effect<{ readonly reference: undefined }>>> = {
  slow: Effect.delay(accepted, latency),
  costly: Effect.andThen(burn, accepted)
}

const call = calls[process.env["BENCH_PROVIDER"] ?? ""]
const vendor: Vendor = { ...Fake.nothing("null", "email"), ...(call === undefined ? {} : { send: () => call }) }

Run.main(App.layer(Fake.layer([vendor])))
