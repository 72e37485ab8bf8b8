import { Scope } from "#schemas/Scope.ts"
import { keyOf } from "#src/delivery/providers/ProviderNames.ts"
import { targetOf } from "#src/reports/Callbacks.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, Schema } from "effect"

const Accounts = Schema.Array(Schema.Struct({
  provider: Schema.Literals(["sendgrid", "twilio"]),
  alias: Schema.UndefinedOr(Schema.Literals(["eu", "us"]))
})).check(Schema.isMinLength(1), Schema.isMaxLength(5))

describe("The target of callbacks", () => {
  it.effect.prop(
    "a configuration is found under every name that its calls may be stored under, also once it is gone",
    { accounts: Accounts },
    ({ accounts }) =>
      Effect.sync(() => {
        const all = accounts.map(({ alias, provider }, index) => ({
          id: `pc_${index}`,
          provider,
          // An alias names one.
          alias: alias === undefined ? undefined : `${alias}-${index}`,
          title: undefined,
          settings: Redacted.make({ api_key: `key ${index}` }),
          created: index,
          updated: undefined
        }))
        for (const configuration of all) {
          const { names, provider, scope, settings } = targetOf(Scope.make(3), configuration)
          assert.includeMembers([...names], [keyOf(all, configuration), configuration.id, configuration.provider])
          if (configuration.alias !== undefined) assert.include(names, configuration.alias)
          assert.deepStrictEqual([scope, provider], [3, configuration.provider])
          assert.deepStrictEqual(settings, Redacted.value(configuration.settings))
        }
      })
  )

  it("one without settings has nothing to check a callback with", () => {
    const bare = { id: "pc_1", provider: "twilio", alias: undefined, title: undefined, created: 1, updated: undefined }
    assert.deepStrictEqual(targetOf(Scope.make(3), { ...bare, settings: undefined }).settings, {})
  })
})
