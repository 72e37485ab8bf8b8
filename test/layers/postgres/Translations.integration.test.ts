import { Translations } from "#src/content/Translations.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import * as Stores from "#test/layers/postgres/Stores.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"

const po = (text: string) => `msgid "hello"\nmsgstr "${text}"\n`

layer(Stores.layer.pipe(Layer.provideMerge(FreshDatabase.layerEmpty)), { timeout: "60 seconds" })(
  "Translations on Postgres",
  (it) => {
    it.effect("all locales that fall back to a file share what was parsed of it", () =>
      Effect.gen(function*() {
        const { find, put } = yield* Translations
        const { scope } = yield* Fixture.world
        yield* put(scope, "default", "en", po("Hello"))
        const found = yield* Effect.forEach(["en", "en-AT", "en-Latn-GB", "en_US"], (locale) =>
          find(scope, "default", locale))
        const parsed = found.map(Option.getOrUndefined)
        assert.strictEqual(parsed[0]?.text("hello"), "Hello")
        for (const one of parsed)
          assert.strictEqual(one, parsed[0])
      }))
  }
)
