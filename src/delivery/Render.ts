import type { Rendered } from "#schemas/Rendered.ts"
import { environmentOf } from "#schemas/Scope.ts"
import type { Brand } from "#schemas/Brand.ts"
import * as BrandChoice from "#src/content/BrandChoice.ts"
import type { Input, RenderFailed } from "#src/content/Content.ts"
import { Rendering } from "#src/content/Rendering.ts"
import type { Candidate } from "#src/delivery/Plan.ts"
import type { Known } from "#src/delivery/Stages.ts"
import * as Tenancies from "#src/people/Tenancies.ts"
import { Effect, type Schema } from "effect"

/** What templates may speak of besides the data and the profile (api.md 2.6). */
const variables = ({ message, template, tenancy }: Known, brand: Brand | undefined): Schema.JsonObject => {
  const { instructions, keyState } = message
  const topic = instructions.preferences?.subscription_topic_id ?? template?.template.subscription?.topic_id
  const tenant = Tenancies.variable(tenancy)
  return {
    courier: { scope: keyState },
    event: instructions.metadata?.event ?? instructions.template ?? "",
    template: template?.id ?? "",
    ...(topic === undefined ? {} : { subscriptionTopicId: topic }),
    ...(brand === undefined ? {} : { brand: BrandChoice.variable(brand) }),
    ...(tenant === undefined ? {} : { tenant })
  }
}

const input = (known: Known, { channel, provider: key }: Candidate, at: number): Input => {
  const { content, data, message, profile, providers } = known
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
    context: {
      messageId: message.id,
      recipient: message.recipient.user_id ?? message.recipientKey,
      tenantId: message.recipient.tenant_id ?? undefined,
      environment: environmentOf(message.scope),
      now: at,
      variables: variables(known, brand)
    }
  }
}

/** The stage that says what a candidate is given to send. `at`, in epoch ms, is when. */
export const make = Effect.map(
  Rendering,
  ({ render }) => (known: Known, at: number) => (candidate: Candidate): Effect.Effect<Rendered, RenderFailed> =>
    render(known.message.scope, input(known, candidate, at))
)
