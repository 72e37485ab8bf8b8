import { configure, delivery, settingsAt, withHttp } from "#test/contracts/VendorRow.ts"
import { Effect } from "effect"
import * as VendorRun from "./VendorRun.ts"

// The provider as the pipeline calls it, from the rendered message to the vendor's reference.
const { inFlight, origin, row } = VendorRun

await Effect.gen(function*() {
  const vendor = yield* configure(row, settingsAt(row, origin)).pipe(withHttp(15_000))
  yield* vendor.send(delivery(row))
  yield* Effect.promise(() =>
    VendorRun.measure((count) =>
      Effect.runPromise(
        Effect.forEach(
          Array.from({ length: count }, (_, attempt) => attempt),
          (attempt) => vendor.send(delivery(row, { attempt })),
          { concurrency: inFlight, discard: true }
        )
      )
    )
  )
}).pipe(Effect.scoped, Effect.runPromise)
