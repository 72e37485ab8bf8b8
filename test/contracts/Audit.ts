import { Audit } from "#src/reports/Audit.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { TestClock } from "effect/testing"

const deed = (target: string) => ({
  type: "notification.published",
  source: "api",
  target,
  actor: { id: "pk_prod_1", email: "ops@example.com" }
})

/** What every store of the audit promises. */
export const auditContract = <E>(name: string, stores: Layer.Layer<Audit, E>) =>
  layer(stores)(`Audit: ${name}`, (it) => {
    it.effect("events come back one by one, and in pages, the newest first", () =>
      Effect.gen(function*() {
        const { scope } = yield* Fixture.world
        const audit = yield* Audit
        const targets = Array.from({ length: 7 }, (_, n) => `notifications/${n}`)
        for (const target of targets) {
          yield* audit.record(scope, deed(target))
          yield* TestClock.adjust("1 millis")
        }
        const seen: Array<string> = []
        let cursor: string | undefined
        do {
          const page = yield* audit.list(scope, { limit: 3, cursor })
          seen.push(...page.items.map(({ target }) => target))
          cursor = page.cursor
          for (const event of page.items) assert.deepStrictEqual(yield* audit.get(scope, event.id), event)
          // What comes meanwhile changes no page that follows.
          yield* audit.record(scope, deed("later"))
        } while (cursor !== undefined)
        assert.deepStrictEqual(seen, targets.toReversed())
      }))

    it.effect("an operation that fails leaves no event", () =>
      Effect.gen(function*() {
        const { scope } = yield* Fixture.world
        const audit = yield* Audit
        const written = audit.record(scope, deed("x"))
        yield* Effect.flip(audit.together(Effect.andThen(written, Effect.fail("refused"))))
        assert.deepStrictEqual((yield* audit.list(scope, { limit: 3, cursor: undefined })).items, [])
        yield* audit.together(written)
        assert.strictEqual((yield* audit.list(scope, { limit: 3, cursor: undefined })).items.length, 1)
      }))

    it.effect("P10: environments do not share events; unknown ids and foreign cursors are refused", () =>
      Effect.gen(function*() {
        const { scope } = yield* Fixture.world
        const elsewhere = yield* Fixture.world
        const audit = yield* Audit
        yield* audit.record(scope, deed("x"))
        yield* audit.record(scope, deed("y"))
        const { cursor, items } = yield* audit.list(scope, { limit: 1, cursor: undefined })
        assert.deepStrictEqual((yield* audit.list(elsewhere.scope, { limit: 1, cursor: undefined })).items, [])
        assert.strictEqual(
          (yield* Effect.flip(audit.list(elsewhere.scope, { limit: 1, cursor })))._tag,
          "InvalidCursor"
        )
        assert.strictEqual(
          (yield* Effect.flip(audit.get(elsewhere.scope, items[0]?.id ?? "")))._tag,
          "AuditEventNotFound"
        )
      }))
  })
