import { owner, start } from "#test/layers/http/pages/Readers.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

const placed = { ...owner, tenantId: "acme", isPlaced: true as const }

const opened = Effect.gen(function*() {
  const { said, ...page } = yield* start
  const statuses = (tenantId?: string) =>
    Effect.map(said(tenantId), (all) => new Map(all.map(({ setting, topicId }) => [topicId, setting.status])))
  const [fresh, settled] = [yield* page.topic({ name: "Fresh" }), yield* page.topic({ name: "Settled" })]
  yield* page.users.put({ ...owner, tenantId: "acme" }, [{ topicId: settled, setting: { status: "OPTED_IN" } }])
  const areOut = Effect.gen(function*() {
    assert.deepStrictEqual(yield* statuses(), new Map([[fresh, "OPTED_OUT"], [settled, "OPTED_OUT"]]))
    assert.deepStrictEqual(yield* statuses("acme"), new Map([[settled, "OPTED_OUT"]]))
  })
  return { ...page, areOut, fresh, settled }
})

describe("Links of a message in its user's only tenant, which nobody named", () => {
  it.live("unsubscribing holds outside of tenants, and inside where the user has said something else there", () =>
    Effect.gen(function*() {
      const { areOut, ask, fresh, settled, tokens } = yield* opened
      for (const topicId of [fresh, settled, fresh]) {
        const path = `/t/unsubscribe/${tokens.unsubscribe({ ...placed, topicId })}`
        yield* ask("POST", path, { body: "List-Unsubscribe=One-Click" })
        assert.include((yield* ask("GET", path)).text, "You are unsubscribed")
      }
      yield* areOut
    }).pipe(Effect.scoped))

  it.live("so does what is chosen on the page of all topics, which shows what holds in the tenant", () =>
    Effect.gen(function*() {
      const { areOut, ask, fresh, settled, tenants, tokens } = yield* opened
      yield* tenants.replace(owner.scope, "acme", { name: "Acme" })
      yield* tenants.setPreference(owner.scope, "acme", fresh, { status: "REQUIRED" })
      const path = `/t/preferences/${tokens.preferences(placed)}`
      assert.include((yield* ask("GET", path)).text, "Always sent.")
      yield* tenants.removePreference(owner.scope, "acme", fresh)
      yield* ask("POST", path, { body: `topic=${fresh}&topic=${settled}` })
      yield* areOut
    }).pipe(Effect.scoped))
})
