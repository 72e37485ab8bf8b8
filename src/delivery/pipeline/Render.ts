import type { Rendered } from "#schemas/Rendered.ts"
import { environmentOf } from "#schemas/Scope.ts"
import type { Brand } from "#schemas/Brand.ts"
import * as BrandChoice from "#src/content/BrandChoice.ts"
import type { JsonMap } from "#schemas/Optional.ts"
import * as Content from "#src/content/Content.ts"
import * as Frame from "#src/content/Frame.ts"
import * as Addressed from "#src/delivery/pipeline/Addressed.ts"
import { once } from "#src/cache/Once.ts"
import { Rendering } from "#src/content/Rendering.ts"
import type { OpenMessage } from "#src/delivery/journal/OpenMessage.ts"
import { turnOf } from "#src/delivery/shards/LaneShares.ts"
import type { Candidate } from "#src/delivery/attempts/Plan.ts"
import { find } from "#src/delivery/Provider.ts"
import type { Known } from "#src/delivery/pipeline/Stages.ts"
import * as Recipients from "#src/delivery/intake/Recipients.ts"
import { UserId } from "#schemas/Profile.ts"
import type { SentTopic } from "#src/delivery/pipeline/Preferences.ts"
import { type Links, PreferenceLinks } from "#src/people/PreferenceLinks.ts"
import { type OpenLink, OpenLinks } from "#src/reports/Tracking.ts"
import * as Tenancies from "#src/people/Tenancies.ts"
import { Effect, Result, type Schema } from "effect"

/** What is rendered, of which topic. */
export interface Subject extends Known {
  readonly topic: SentTopic | undefined
}

/** The links of a message; those that track openings are empty where nothing tracks. */
interface Linked {
  readonly open: OpenLink
  readonly choose: Links
}

const untracked: OpenLink = { openTrackingId: "", opened: "" }

/** The preference links of a message that is for no user. */
const nobodys: Links = { unsubscribeTrackingId: "", unsubscribe: "", preferences: "" }

/** What templates may speak of besides the data and the profile (api.md 2.6). */
const variables = (
  { message, template, tenancy }: Known,
  brand: Brand | undefined,
  { choose, open }: Linked
): Schema.JsonObject => {
  const { instructions, keyState } = message
  const topic = instructions.preferences?.subscription_topic_id ?? template?.template.subscription?.topic_id
  const tenant = Tenancies.variable(tenancy)
  return {
    courier: { scope: keyState },
    event: instructions.metadata?.event ?? instructions.template ?? "",
    template: template?.id ?? "",
    get openTrackingId() {
      return open.openTrackingId
    },
    urls: {
      get opened() {
        return open.opened
      },
      get unsubscribe() {
        return choose.unsubscribe
      },
      get preferences() {
        return choose.preferences
      }
    },
    ...(topic === undefined ? {} : { subscriptionTopicId: topic }),
    ...(brand === undefined ? {} : { brand: BrandChoice.variable(brand) }),
    ...(tenant === undefined ? {} : { tenant })
  }
}

/** The recipient as readers of the log see it: the user's id, else the address as the caller wrote it. */
const nameOf = ({ recipient, recipientKey }: OpenMessage): string => Recipients.nameOf(recipient) ?? recipientKey

const input = (
  known: Known,
  candidate: Candidate,
  at: number,
  linked: () => Linked
): Content.Input => {
  const { content, data, message, profile, providers, template } = known
  const { channel, provider } = candidate
  const brand = known.brandOf(channel)
  return {
    content,
    channel,
    provider,
    providers: find(providers, candidate)?.names,
    data,
    profile,
    brand,
    throwing: template?.template.throw_on_variable_not_found ?? undefined,
    context: () => ({
      messageId: message.id,
      recipient: nameOf(message),
      tenantId: message.recipient.tenant_id ?? undefined,
      environment: environmentOf(message.scope),
      now: at,
      get unsubscribeTrackingId() {
        return linked().choose.unsubscribeTrackingId
      },
      variables: variables(known, brand, linked())
    })
  }
}

/** The stage that says what a candidate is given to send. `at`, in epoch ms, is when. */
export const make = Effect.gen(function*() {
  const { render } = yield* Rendering
  const openLinks = yield* OpenLinks
  const preferenceLinks = yield* PreferenceLinks

  const choose = ({ message: { isPlaced, recipient, scope }, topic }: Subject): Links =>
    typeof recipient.user_id !== "string" || preferenceLinks === undefined ? nobodys : preferenceLinks({
      scope,
      userId: UserId.make(recipient.user_id),
      tenantId: recipient.tenant_id ?? undefined,
      isPlaced
    }, topic?.id)

  const linksOf = (subject: Subject) => {
    const { id, scope } = subject.message
    return once(() => ({ open: openLinks?.(scope, id) ?? untracked, choose: choose(subject) }))
  }

  return {
    render:
      (subject: Subject, at: number) =>
      (candidate: Candidate): Effect.Effect<Rendered, Content.RenderFailed | Content.NothingToSay> => {
        const { message, topic } = subject
        const linked = linksOf(subject)
        const turn = { lane: message.lane, whose: turnOf(message) }
        const rendered = render(message.scope, input(subject, candidate, at, linked), turn)
        if (candidate.channel !== "email" || topic?.isInHeader !== true) return rendered
        const { unsubscribe } = linked().choose
        return unsubscribe === ""
          ? rendered
          : Effect.map(rendered, (mail) => Frame.like(mail, { ...mail, unsubscribe }))
      },
    /** What a candidate's payload is overridden with, its variables filled in. */
    addressed:
      (subject: Subject, at: number) =>
      (candidate: Candidate, override: JsonMap): Result.Result<JsonMap, Content.RenderFailed> =>
        candidate.channel === "email"
          ? Addressed.of(override, (texts) => Content.addresses(input(subject, candidate, at, linksOf(subject)), texts))
          : Result.succeed(override)
  }
})
