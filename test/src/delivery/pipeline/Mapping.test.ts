import { Scope } from "#schemas/Scope.ts"
import type { Instructions } from "#schemas/SendMessage.ts"
import type { TenantTemplate } from "#schemas/TenantTemplate.ts"
import { TenantTemplates } from "#src/content/TenantTemplates.ts"
import { TemplateNotFound, Templates, TemplateUnpublished } from "#src/content/Templates.ts"
import * as Mapping from "#src/delivery/pipeline/Mapping.ts"
import { fromRow } from "#src/delivery/journal/OpenMessage.ts"
import { Strategies, StrategyNotFound } from "#src/delivery/providers/Strategies.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { template } from "#test/contracts/TemplateFixture.ts"
import * as NoTenants from "#test/support/NoTenants.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"

const strategy = {
  name: "s",
  routing: { method: "single" as const, channels: ["email", "sms"] },
  channels: { email: { providers: ["sendgrid", "smtp"], if: "data.mail" }, sms: { timeout: 1 } },
  providers: { smtp: { override: { config: { secure: true } } } }
}

const stores = Layer.mergeAll(
  NoTenants.layer,
  Layer.mock(Templates, {
    resolve: (_, name, keyState) => {
      if (name === "none" || name === "gone") return Effect.fail(new TemplateNotFound({ id: name }))
      if (name === "draft" && keyState === "published") return Effect.fail(new TemplateUnpublished({ id: name }))
      const routing = name === "bare" ? null : { strategy_id: name === "stale" ? "rs_gone" : "rs_1" }
      const tags = name === "otp" ? ["login-otp"] : []
      return Effect.succeed({ id: "nt_1", alias: undefined, template: template(keyState, { routing, tags }) })
    }
  }),
  Layer.mock(Strategies, {
    resolve: (_, id) => id === "rs_1" ? Effect.succeed(strategy) : Effect.fail(new StrategyNotFound({ id }))
  })
)

const mapped = Effect.fnUntraced(
  function*(instructions: Instructions, keyState: "published" | "draft" = "published") {
    const { events: _, ...message } = Fixture.message({ scope: Scope.make(1), shard: 1, at: 1_000 }, { keyState })
    const map = yield* Mapping.make
    return yield* map({
      ...(yield* Effect.orDie(fromRow({ ...message, recipient: "{}", instructions: "{}" }))),
      instructions
    })
  },
  Effect.provide(stores)
)

const refused = (instructions: Instructions) =>
  Effect.map(Effect.flip(mapped(instructions)), ({ detail, reason, type }) => [type, reason, detail])

describe("Mapping", () => {
  it.effect("content of the message's own needs no template", () =>
    Effect.gen(function*() {
      const own = { content: { title: "a", body: "b" } }
      const { content, isOneTimePassword, message } = yield* mapped(own)
      assert.deepStrictEqual([content, isOneTimePassword, message.instructions], [own.content, false, own])
    }))

  it.effect("a message sent by an alias is of the template that it means; its id means itself", () =>
    Effect.gen(function*() {
      const idOf = (template: string) => Effect.map(mapped({ template }), ({ message }) => message.templateId)
      assert.deepStrictEqual([yield* idOf("alias"), yield* idOf("nt_1")], ["nt_1", undefined])
    }))

  it.effect("the key's state says which snapshot of the template it is", () =>
    Effect.gen(function*() {
      for (const keyState of ["published", "draft"] as const) {
        const { content } = yield* mapped({ content: null, template: "t" }, keyState)
        assert.deepStrictEqual(content, template(keyState).content)
      }
    }))

  it.effect("a template that is not there, or was never published, ends the message as UNMAPPED", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* refused({ template: "none" }), [
        "UNMAPPED",
        undefined,
        "Notification template none not found"
      ])
      assert.deepStrictEqual(yield* refused({ template: "draft" }), [
        "UNMAPPED",
        "UNPUBLISHED",
        "Notification template draft was never published"
      ])
      assert.deepStrictEqual((yield* refused({ template: "t", delay: { until: "until" } }))[0], "UNDELIVERABLE")
    }))

  it.effect("a tenant's own template that was never published says so, unless the workspace has one of that name", () =>
    Effect.gen(function*() {
      const own: TenantTemplate = { content: { elements: [] } }
      const drafts = Layer.mock(TenantTemplates, {
        resolve: (_, tenantId, id, keyState) =>
          Effect.succeed(tenantId === "acme" && id !== "none" && keyState === "draft" ? own : undefined)
      })
      const sent = Effect.fnUntraced(function*(template: string, tenantId: string) {
        const { events: _, ...message } = Fixture.message({ scope: Scope.make(1), shard: 1, at: 1_000 }, {})
        const map = yield* Mapping.make
        const row = yield* Effect.orDie(fromRow({ ...message, recipient: "{}", instructions: "{}" }))
        return yield* map({ ...row, recipient: { tenant_id: tenantId }, instructions: { template } })
          .pipe(
            Effect.match({
              onFailure: ({ reason, type }) => `${type} ${reason}`,
              onSuccess: ({ template }) => template?.id
            })
          )
      }, Effect.provide(Layer.merge(stores, drafts)))
      const unpublished = "UNMAPPED UNPUBLISHED"
      const unknown = "UNMAPPED undefined"
      assert.deepStrictEqual(yield* sent("tenant/own", "acme"), unpublished)
      assert.deepStrictEqual(yield* sent("tenant/own", "other"), unknown)
      assert.deepStrictEqual(yield* sent("tenant/none", "acme"), unknown)
      assert.deepStrictEqual(yield* sent("gone", "acme"), unpublished)
      assert.deepStrictEqual(yield* sent("gone", "other"), unknown)
      assert.deepStrictEqual(yield* sent("t", "acme"), "nt_1")
    }))

  it.effect("the strategy gives the way, and what the message says of it wins by name", () =>
    Effect.gen(function*() {
      const plain = (yield* mapped({ template: "t" })).message.instructions
      assert.deepStrictEqual(
        [plain.routing, plain.channels, plain.providers],
        [strategy.routing, strategy.channels, strategy.providers]
      )
      const own = yield* mapped({
        template: "t",
        routing: { method: "all", channels: ["push"] },
        channels: { email: { if: "true", providers: null }, push: {} },
        providers: { smtp: { timeout: 5 }, sendgrid: { timeout: 6 } }
      })
      assert.deepInclude(own.message.instructions, {
        routing: { method: "all", channels: ["push"] },
        channels: { email: { providers: ["sendgrid", "smtp"], if: "true" }, sms: { timeout: 1 }, push: {} },
        providers: { smtp: { ...strategy.providers.smtp, timeouts: 5 }, sendgrid: { timeout: 6 } }
      })
    }))

  it.effect("a template without a strategy, or whose strategy is gone, leaves the message as it is", () =>
    Effect.gen(function*() {
      for (const name of ["bare", "stale"]) {
        assert.deepStrictEqual((yield* mapped({ template: name })).message.instructions, { template: name })
      }
    }))

  it.effect("one-time passwords are told by the message's tags or the template's", () =>
    Effect.gen(function*() {
      assert.isTrue((yield* mapped({ template: "otp" })).isOneTimePassword)
      assert.isTrue((yield* mapped({ template: "t", metadata: { tags: ["otp"] } })).isOneTimePassword)
      assert.isTrue((yield* mapped({ template: "t", metadata: { tags: ["x", "OTP_2"] } })).isOneTimePassword)
      assert.isFalse((yield* mapped({ template: "t", metadata: { tags: ["x", "footprint"] } })).isOneTimePassword)
    }))
})
