import type { Rendered } from "#schemas/Rendered.ts"
import { environmentOf } from "#schemas/Scope.ts"
import type { Brand } from "#schemas/Brand.ts"
import * as BrandChoice from "#src/content/BrandChoice.ts"
import type { Input, RenderFailed } from "#src/content/Content.ts"
import { Rendering } from "#src/content/Rendering.ts"
import type { OpenMessage } from "#src/delivery/OpenMessage.ts"
import type { Candidate } from "#src/delivery/Plan.ts"
import type { Known } from "#src/delivery/Stages.ts"
import * as Recipients from "#src/delivery/Recipients.ts"
import { type OpenLink, OpenLinks } from "#src/reports/Tracking.ts"
import * as Tenancies from "#src/people/Tenancies.ts"
import { Effect, type Schema } from "effect"

/** What templates may speak of besides the data and the profile (api.md 2.6). */
const variables = (
  { message, template, tenancy }: Known,
  brand: Brand | undefined,
  link: OpenLink | undefined
): Schema.JsonObject => {
  const { instructions, keyState } = message
  const topic = instructions.preferences?.subscription_topic_id ?? template?.template.subscription?.topic_id
  const tenant = Tenancies.variable(tenancy)
  return {
    courier: { scope: keyState },
    event: instructions.metadata?.event ?? instructions.template ?? "",
    template: template?.id ?? "",
    ...(link === undefined ? {} : { openTrackingId: link.openTrackingId, urls: { opened: link.opened } }),
    ...(topic === undefined ? {} : { subscriptionTopicId: topic }),
    ...(brand === undefined ? {} : { brand: BrandChoice.variable(brand) }),
    ...(tenant === undefined ? {} : { tenant })
  }
}

/** The recipient as readers of the log see it: the user's id, else the address as the caller wrote it. */
const nameOf = ({ recipient, recipientKey, scope }: OpenMessage): string =>
  Recipients.identify(scope, recipient)?.name ?? recipientKey

const input = (
  known: Known,
  { channel, provider: key }: Candidate,
  at: number,
  link: OpenLink | undefined
): Input => {
  const { content, data, message, profile, providers, template } = known
  const brand = known.brandOf(channel)
  const provider = providers.find((one) => one.channel === channel && one.key === key)
  return {
    content,
    channel,
    provider: key,
    providers: provider?.names,
    data,
    profile,
    brand,
    throwing: template?.template.throw_on_variable_not_found ?? undefined,
    context: {
      messageId: message.id,
      recipient: nameOf(message),
      tenantId: message.recipient.tenant_id ?? undefined,
      environment: environmentOf(message.scope),
      now: at,
      variables: variables(known, brand, link)
    }
  }
}

/** The stage that says what a candidate is given to send. `at`, in epoch ms, is when. */
export const make = Effect.gen(function*() {
  const { render } = yield* Rendering
  const links = yield* OpenLinks
  return (known: Known, at: number) => (candidate: Candidate): Effect.Effect<Rendered, RenderFailed> => {
    const { message: { id, scope } } = known
    return render(scope, input(known, candidate, at, links?.(scope, id)))
  }
})
