import * as VendorHttp from "#layers/providers/VendorHttp.ts"
import * as Vendors from "#layers/providers/Vendors.ts"
import { Catalogue } from "#src/delivery/providers/Catalogue.ts"
import { cellNames, conforms, found } from "#test/contracts/Vendor.ts"
import * as Rows from "#test/layers/providers/rows/All.ts"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"

/** These do not speak HTTP, and have matrices of their own. */
const elsewhere = new Set(["smtp"])

const short: Readonly<Record<string, string>> = {
  Accepted: "ok",
  RateLimited: "later",
  Unavailable: "next",
  Misconfigured: "config",
  RecipientRejected: "address",
  ContentRejected: "content",
  Unknown: "unknown"
}

/** Providers × cells, as the run found them. */
const printed = (): string => {
  const keys = [...found.keys()]
  const width = Math.max(...cellNames.map((name) => name.length))
  const line = (name: string, values: ReadonlyArray<string>) =>
    [name.padEnd(width), ...values.map((value, index) => value.padEnd((keys[index] ?? "").length + 1).padEnd(9))].join(
      " "
    )
  const own = keys.flatMap((key) =>
    [...(found.get(key) ?? [])]
      .filter(([name]) => !cellNames.includes(name))
      .map(([name, outcome]) => `${key.padEnd(13)} ${name.padEnd(32)} ${short[outcome]}`)
  )
  return [
    "",
    line("cell", keys.map((key) => key.slice(0, 12))),
    ...cellNames.map((name) => line(name, keys.map((key) => short[found.get(key)?.get(name) ?? ""] ?? "-"))),
    "",
    "ok: accepted; later: same provider after its wait; next: again, then the next provider; config: the next provider,",
    "and the operator; address, content: no provider will do better; unknown: sent or not, nobody knows",
    "",
    "Each vendor's own refusals",
    ...own
  ].join("\n")
}

describe("vendors over HTTP", () => {
  it.effect("every provider of the catalogue has its row", () =>
    Effect.map(Catalogue, ({ entries }) => {
      const rows = Rows.all.map(({ entry }) => entry.key)
      const listed = entries.map(({ key }) => key).filter((key) => !elsewhere.has(key))
      assert.sameMembers(rows, listed)
      assert.strictEqual(new Set(rows).size, rows.length)
    }).pipe(Effect.provide(Vendors.layer.pipe(Layer.provide(VendorHttp.layer)))))

  Rows.all.forEach(conforms)

  afterAll(() => console.log(printed()))
})
