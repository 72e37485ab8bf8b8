import type { Scope } from "#schemas/Scope.ts"
import { type WebhookDraft, Webhooks } from "#src/reports/Webhooks.ts"
import { type Happened, Outbox, type Settlement } from "#src/reports/webhooks/Outbox.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { Effect, Redacted } from "effect"
import { TestClock } from "effect/testing"

export const secret = Redacted.make("0123456789abcdef")

/** Nothing but what was told, of a webhook that was reached. */
export const settlement = (more: Partial<Settlement> = {}): Settlement => ({
  told: [],
  lost: [],
  again: [],
  reached: true,
  failures: 0,
  failing: undefined,
  pausedUntil: 0,
  givesUp: false,
  since: 0,
  ...more
})

/** What an event says that has happened, in short. */
export const said = (happened: Happened | undefined): string =>
  happened === undefined
    ? "what this version cannot read"
    : happened.type === "message:updated"
    ? `${happened.messageId} ${happened.status}`
    : `${happened.type} ${happened.data}`

/** A place at its own time, and webhooks in it. */
export const start = Effect.gen(function*() {
  const place = yield* Fixture.world
  const webhooks = yield* Webhooks
  const outbox = yield* Outbox
  yield* TestClock.setTime(place.at)

  /** Until the test ends: then nothing is left that another test could claim. */
  const webhook = (more: Partial<WebhookDraft> = {}, scope: Scope = place.scope) =>
    Effect.acquireRelease(
      webhooks.create(
        scope,
        { url: "https://example.com/", types: undefined, description: undefined, state: "ENABLED", ...more },
        secret
      ),
      ({ id }) => Effect.ignore(Effect.andThen(webhooks.remove(scope, id), outbox.sweep(1_000)))
    )

  /** What webhooks are to be told by now, by webhook; all of it is settled with that. */
  const told = Effect.fnUntraced(function*(): Effect.fn.Return<ReadonlyMap<string, ReadonlyArray<string>>, unknown> {
    const found = new Map<string, ReadonlyArray<string>>()
    while (true) {
      const claimed = yield* outbox.claim(100)
      if (claimed === undefined) return found
      const before = found.get(claimed.id) ?? []
      found.set(claimed.id, [...before, ...claimed.events.map(({ happened }) => said(happened))])
      yield* outbox.settle(claimed, settlement({ told: claimed.events.map(({ id }) => id) }))
    }
  })

  return { ...place, outbox, place, told, webhook, webhooks }
})
