import type { Brand } from "#schemas/Brand.ts"
import * as Layouts from "#src/content/Layouts.ts"
import { Mjml, MjmlRefused } from "#src/content/Mjml.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Ref } from "effect"
import { TestClock } from "effect/testing"

const tea: Brand = { id: "tea", name: "Tea", settings: {}, snippets: {} }

describe("The pages of brands", () => {
  it.effect("a page that was not compiled is tried again a minute later, and not by every mail till then", () =>
    Effect.gen(function*() {
      const asked = yield* Ref.make(0)
      // The compiler was slow once.
      const mjml = Layer.succeed(Mjml, {
        compile: () =>
          Effect.flatMap(
            Ref.getAndUpdate(asked, (n) => n + 1),
            (before) => before === 0 ? Effect.fail(new MjmlRefused({ detail: "slow" })) : Effect.succeed("<p></p>")
          )
      })
      yield* Effect.gen(function*() {
        const { of } = yield* Layouts.Layouts
        const layoutOf = Effect.map(Effect.suspend(() => of(tea)), ({ layout }) => layout !== undefined)
        assert.deepStrictEqual([yield* layoutOf, yield* layoutOf], [false, false])
        yield* TestClock.adjust("59 seconds")
        assert.deepStrictEqual([yield* layoutOf, yield* Ref.get(asked)], [false, 1])
        yield* TestClock.adjust("1 second")
        assert.deepStrictEqual([yield* layoutOf, yield* Ref.get(asked)], [true, 2])
        yield* TestClock.adjust("23 hours")
        assert.deepStrictEqual([yield* layoutOf, yield* Ref.get(asked)], [true, 2])
      }).pipe(Effect.provide(Layouts.layer.pipe(Layer.provide(mjml))))
    }))
})
