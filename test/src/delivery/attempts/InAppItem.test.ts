import * as Faults from "#layers/testing/Faults.ts"
import * as Simulation from "#layers/testing/Simulation.ts"
import { describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"

const minute = 60_000

/** One message in a tenant, which expires, and half a minute later a plain one. */
const story: Simulation.Story = Effect.fnUntraced(function*(world) {
  const content = { title: "Hello", body: "World" }
  const routing = { method: "single" as const, channels: ["inbox"] }
  const expiry = { expires_in: 60 * minute }
  yield* world.send({ to: { user_id: "ada", tenant_id: "t" }, content, routing, expiry })
  yield* Effect.sleep("30 seconds")
  yield* world.send({ to: { user_id: "ada" }, content, routing })
})

const stored: Simulation.Property = {
  story,
  complaints: ({ stored }) => {
    const [inTenant, plain, ...others] = stored.inbox("ada")
    const apart = (plain?.createdAt ?? 0) - (inTenant?.createdAt ?? 0)
    const lasts = (inTenant?.expiresAt ?? 0) - (inTenant?.createdAt ?? 0)
    return [
      ...(others.length === 0 ? [] : ["there are others in the inbox"]),
      ...(inTenant?.tenantId === "t" && plain?.tenantId === undefined ? [] : ["an item is not of its tenant"]),
      ...(lasts === 60 * minute && plain?.expiresAt === undefined ? [] : ["an item does not last as it should"]),
      ...(apart > minute / 3 && apart < minute ? [] : [`the items are ${apart} ms apart`])
    ]
  }
}

/** Overrides of the channel and of the provider, and a message that the override alone says. */
const overridden: Simulation.Property = {
  story: Effect.fnUntraced(function*(world) {
    const to = { user_id: "ada" }
    const routing = { method: "single" as const, channels: ["inbox"] }
    const channels = { inbox: { override: { title: "by channel", body: "by channel" } } }
    const providers = { inbox: { override: { body: "by provider" } } }
    yield* world.send({ to, content: { title: "t", body: "b" }, routing, channels, providers })
    const elements = [{ type: "text", channels: ["sms"], content: "for phones" }]
    const phones = { version: "2022-01-01", elements }
    yield* world.send({ to, content: phones, routing, channels })
    yield* world.send({ to, content: phones, routing })
  }),
  complaints: ({ stored }) => {
    const seen = stored.inbox("ada").map(({ rendered: { body, title } }) => `${title}, ${body}`).toSorted()
    return seen.join("; ") === "by channel, by channel; by channel, by provider" ? [] : [seen.join("; ")]
  }
}

/** Messages whose expiry is over before they could be stored: at once, or after their delay. */
const late: Simulation.Property = {
  story: Effect.fnUntraced(function*(world) {
    const content = { title: "t", body: "b" }
    const to = { user_id: "ada", email: "ada@example.com" }
    const inbox = { method: "single" as const, channels: ["inbox"] }
    const past = { expires_in: 1_000, expires_at: "1969-01-01T00:00:00Z" }
    const now = yield* Clock.currentTimeMillis
    yield* world.send({ to, content, routing: inbox, expiry: past })
    const delay = { duration: 10 * minute }
    yield* world.send({ to, content, routing: inbox, expiry: { expires_at: now + minute }, delay })
    yield* world.send({ to, content, routing: inbox, expiry: { expires_in: minute }, delay })
    yield* world.send({ to, content, routing: { ...inbox, channels: ["inbox", "email"] }, expiry: past })
  }),
  complaints: ({ stored }) => {
    const ends = stored.messages().map(({ error, reason, status }) => [status, reason, error])
    const over = ["UNDELIVERABLE", "FAILED", "The message's expiry was over before it could be in the inbox"]
    const sent = ["SENT", undefined, undefined]
    const items = stored.inbox("ada").length
    return [
      ...(JSON.stringify(ends) === JSON.stringify([over, over, sent, sent]) ? [] : [JSON.stringify(ends)]),
      ...(items === 1 ? [] : [`${items} items are in the inbox`])
    ]
  }
}

/** Messages whose expiry passes while a provider of an earlier channel, which does not take them, is waited for. */
const outlived: Simulation.Property = {
  story: Effect.fnUntraced(function*(world) {
    const content = { title: "t", body: "b" }
    const to = { user_id: "ada", email: "ada@example.com", phone_number: "+4915112345678" }
    const expiry = { expires_at: (yield* Clock.currentTimeMillis) + 5_000 }
    for (const last of [[], ["sms"]]) {
      yield* world.send({ to, content, routing: { method: "single", channels: ["email", "inbox", ...last] }, expiry })
    }
  }),
  complaints: ({ messages, stored }) => {
    const over = "The message's expiry was over before it could be in the inbox"
    const seen = messages.map(({ error, history, status }) => {
      const lines = history.flatMap(({ events }) => events).filter(({ channel }) => channel === "inbox")
      return [status, error, lines.at(-1)?.error]
    })
    const items = stored.inbox("ada").length
    return [
      ...(JSON.stringify(seen) === JSON.stringify([["UNDELIVERABLE", over, over], ["SENT", undefined, over]])
        ? []
        : [JSON.stringify(seen)]),
      ...(items === 0 ? [] : [`${items} items are in the inbox`])
    ]
  }
}

describe("A message for the in-app inbox", () => {
  it.effect("does not go there if it has disappeared while an earlier channel's provider was called", () =>
    Simulation.check(outlived, {
      seeds: 3,
      faults: Faults.none,
      vendors: [
        {
          key: "mail",
          channel: "email",
          address: "email",
          answers: () => ({ _tag: "Refuse", kind: "ContentRejected", after: 10_000 })
        },
        { key: "text", channel: "sms", address: "phone_number" }
      ]
    }))

  it.effect("says what its override says in place of the content, or without any", () =>
    Simulation.check(overridden, { seeds: 3, faults: Faults.none }))

  it.effect("does not go there if it would have disappeared by then", () =>
    Simulation.check(late, { seeds: 3, faults: Faults.none }))

  it.effect("is in its user's inbox, with its tenant, its time, and the time at which it disappears", () =>
    Simulation.check(stored, { seeds: 3, faults: Faults.none }))
})
