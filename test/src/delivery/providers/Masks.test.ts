import type { CatalogueEntry } from "#src/delivery/providers/Catalogue.ts"
import * as Masks from "#src/delivery/providers/Masks.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, Result, type Schema } from "effect"

const field = (secret: boolean) => ({ type: "string" as const, required: false, secret, values: undefined })
const entry: CatalogueEntry = {
  key: "mail",
  name: "Mail",
  description: "",
  channel: "email",
  fields: { key: field(true), host: field(false), port: field(false) },
  places: ["host"],
  vendor: () => Effect.die("none is built")
}

const shown = (provider: string, settings: Schema.JsonObject) =>
  Masks.shown({ entries: [entry] }, {
    id: "1",
    provider,
    alias: undefined,
    title: undefined,
    settings: Redacted.make(settings),
    created: 0,
    updated: undefined
  })

describe("Masks of secrets", () => {
  it("P9: show the last four characters of a long one and nothing of a short one, nor of what no vendor explains", () => {
    const long = "0123456789abcdef"
    assert.deepStrictEqual(shown("mail", { key: long, host: "h" }), { key: "••••cdef", host: "h" })
    assert.deepStrictEqual(shown("mail", { key: long.slice(1), host: "h" }), { key: "••••", host: "h" })
    assert.deepStrictEqual(shown("mail", { key: 1_234_567_890_123_456, toString: long }), {
      key: "••••",
      toString: "••••cdef"
    })
    assert.deepStrictEqual(shown("gone", { host: "h" }), { host: "••••" })
  })

  it("stand for the stored secret as long as it goes where it went before", () => {
    const stored = { key: "0123456789abcdef", host: "h" }
    const sent = (settings: Schema.JsonObject, before: Schema.JsonObject = stored) =>
      Result.getOrElse(Masks.unmask(entry, settings, before), ({ field }) => field)
    assert.deepStrictEqual(sent({ key: "••••cdef", host: "h" }), stored)
    assert.deepStrictEqual(sent({ key: "••••cdef", host: "elsewhere" }), "key")
    assert.deepStrictEqual(sent({ key: "••••0000", host: "h" }), "key")
    assert.deepStrictEqual(sent({ key: "••••", host: "h" }, { host: "h" }), "key")
    assert.deepStrictEqual(sent({ key: "new", host: "elsewhere" }), { key: "new", host: "elsewhere" })
    assert.deepStrictEqual(sent({ key: null, host: "••••", unknown: 1 }, {}), { host: "••••" })
    assert.deepStrictEqual(sent({ key: "••••cdef" }, { key: stored.key }), { key: stored.key })
    assert.deepStrictEqual(sent({ key: "••••cdef", host: null }, { key: stored.key }), { key: stored.key })
  })
})
