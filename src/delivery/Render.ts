import type { Rendered } from "#schemas/Rendered.ts"
import { environmentOf } from "#schemas/Scope.ts"
import type { Input, RenderFailed } from "#src/content/Content.ts"
import { Rendering } from "#src/content/Rendering.ts"
import type { Candidate } from "#src/delivery/Plan.ts"
import type { Known } from "#src/delivery/Stages.ts"
import { Effect, type Schema } from "effect"

/** What templates may speak of besides the data and the profile (api.md 2.6). */
const variables = ({ message, template }: Known): Schema.JsonObject => {
  const { instructions, keyState } = message
  const topic = instructions.preferences?.subscription_topic_id ?? template?.template.subscription?.topic_id
  return {
    courier: { scope: keyState },
    event: instructions.metadata?.event ?? instructions.template ?? "",
    template: template?.id ?? "",
    ...(topic === undefined ? {} : { subscriptionTopicId: topic })
  }
}

const input = (known: Known, { channel, provider: key }: Candidate, at: number): Input => {
  const { content, data, message, profile, providers } = known
  const provider = providers.find((one) => one.channel === channel && one.key === key)
  return {
    content,
    channel,
    provider: key,
    providers: provider?.names,
    data,
    profile,
    context: {
      messageId: message.id,
      recipient: message.recipient.user_id ?? message.recipientKey,
      tenantId: message.recipient.tenant_id ?? undefined,
      environment: environmentOf(message.scope),
      now: at,
      variables: variables(known)
    }
  }
}

/** The stage that says what a candidate is given to send. `at`, in epoch ms, is when. */
export const make = Effect.map(
  Rendering,
  ({ render }) => (known: Known, at: number) => (candidate: Candidate): Effect.Effect<Rendered, RenderFailed> =>
    render(known.message.scope, input(known, candidate, at))
)
