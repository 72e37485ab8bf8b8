import type { PreferenceSection, PreferenceTopic, TopicSetting } from "#schemas/Preferences.ts"
import type { Recipient } from "#schemas/Recipient.ts"
import type { Instructions } from "#schemas/SendMessage.ts"
import { fromRow, type OpenMessage } from "#src/delivery/journal/OpenMessage.ts"
import { candidates } from "#src/delivery/attempts/Plan.ts"
import * as Stages from "#src/delivery/pipeline/Stages.ts"
import { DeviceTokens } from "#src/people/DeviceTokens.ts"
import { PreferenceCatalogue } from "#src/people/PreferenceCatalogue.ts"
import { Tenants } from "#src/people/Tenants.ts"
import { UserPreferences } from "#src/people/UserPreferences.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import * as Stores from "#test/layers/memory/Stores.ts"
import * as Fake from "#test/support/Fake.ts"
import { Effect, Layer } from "effect"

export const stores = Layer.mergeAll(
  Stores.layer,
  Fake.layer([Fake.nothing("smtp", "email"), Fake.nothing("twilio", "sms"), Fake.nothing("inbox", "inbox")])
).pipe(Layer.merge(Layer.mock(DeviceTokens, { reachable: () => Effect.succeed([]) })))

const all: Instructions = {
  routing: { method: "all", channels: ["email", "twilio", { method: "single", channels: ["inbox"] }] }
}
export const ada = { user_id: "ada", email: "ada@example.com", phone_number: "+14155550123" }

export const out: TopicSetting = { status: "OPTED_OUT" }
export const choose = (...channels: ReadonlyArray<"email" | "sms" | "inbox" | "push">): TopicSetting => ({
  status: "OPTED_IN",
  has_custom_routing: true,
  custom_routing: channels
})

export const start = Effect.gen(function*() {
  const world = yield* Fixture.world
  const { scope } = world
  const catalogue = yield* PreferenceCatalogue
  const users = yield* UserPreferences
  const { decide } = yield* Stages.make
  const section = yield* catalogue.createSection(scope, { name: "Account" })
  const topic = (status: TopicSetting["status"]) =>
    Effect.map(catalogue.createTopic(scope, section.id, { name: status, default_status: status }), ({ id }) => id)

  const decided = Effect.fnUntraced(
    function*(recipient: Recipient, more: Instructions = {}, attempts: OpenMessage["attempts"] = []) {
      const { events: _, ...message } = Fixture.message(world)
      const open = yield* Effect.orDie(fromRow({ ...message, recipient: "{}", instructions: "{}" }))
      const content = more.template === undefined ? { content: { title: "a", body: "b" } } : {}
      return yield* decide({ ...open, recipient, instructions: { ...all, ...content, ...more }, attempts })
    }
  )
  /** The channels that the message goes through, or its end. */
  const send = (...message: Parameters<typeof decided>) =>
    decided(...message).pipe(
      Effect.map(({ plan, preferences }) => ({
        channels: candidates(plan).map(({ channel }) => channel),
        decision: preferences
      })),
      Effect.catchTag(
        "Refusal",
        ({ decision, detail, reason, type }) => Effect.succeed({ refused: [type, reason, detail], decision })
      )
    )
  const about = (topicId: string): Instructions => ({ preferences: { subscription_topic_id: topicId } })
  const say = (topicId: string, setting: TopicSetting, tenantId?: string) =>
    users.put({ scope, userId: Fixture.user, tenantId }, [{ topicId, setting }])
  /** A topic with terms of its own, in a section that may have some too. */
  const limited = Effect.fnUntraced(function*(terms: Partial<PreferenceTopic>, of: Partial<PreferenceSection> = {}) {
    const { id } = yield* catalogue.createSection(scope, { name: "Limited", ...of })
    return yield* catalogue.createTopic(scope, id, { name: "n", default_status: "OPTED_IN", ...terms })
  })
  return { about, catalogue, decided, limited, scope, section, send, say, topic, tenants: yield* Tenants }
})

export const unsubscribed = ["UNDELIVERABLE", "UNSUBSCRIBED", "Notification opted out by user"]
export const every = ["email", "sms", "inbox"]
