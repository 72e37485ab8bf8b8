import type { PreviewedChannel } from "#schemas/api/Rehearsals.ts"
import { MessageId } from "#schemas/MessageId.ts"
import type { JsonMap } from "#schemas/Optional.ts"
import type { Recipient } from "#schemas/Recipient.ts"
import type { Scope } from "#schemas/Scope.ts"
import type { Snapshot, Template } from "#schemas/Template.ts"
import { type TemplateNotFound, Templates, type VersionNotFound } from "#src/content/Templates.ts"
import { TenantTemplates } from "#src/content/TenantTemplates.ts"
import * as Addressing from "#src/delivery/intake/Addressing.ts"
import type { OpenMessage } from "#src/delivery/journal/OpenMessage.ts"
import * as Settings from "#src/delivery/pipeline/Settings.ts"
import * as Render from "#src/delivery/pipeline/Render.ts"
import * as Stages from "#src/delivery/pipeline/Stages.ts"
import { Strategies } from "#src/delivery/providers/Strategies.ts"
import { inTime, show, type Shown } from "#src/delivery/rehearsals/Shown.ts"
import type { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import { harmless, PreferenceLinks } from "#src/people/PreferenceLinks.ts"
import { Clock, Context, Effect, Layer } from "effect"

/** What a template is shown with; `channels` empty: all there are. */
export interface Preview {
  readonly version: Snapshot
  readonly to: Recipient
  readonly data: JsonMap
  readonly brandId: string | undefined
  readonly channels: ReadonlyArray<PreviewedChannel>
}

/** Templates that are looked at: nothing is stored and no provider is called. */
export class Previews extends Context.Service<Previews, {
  /** A template as each channel would show it. */
  readonly show: (
    scope: Scope,
    template: string,
    preview: Preview
  ) => Effect.Effect<ReadonlyArray<Shown>, TemplateNotFound | VersionNotFound | StoreUnavailable>
}>()("tidings/Previews") {}

const nobody = MessageId.make("1-00000000-000000000000000000000000")

/** The ways of a preview: each channel by itself, and the chat platforms that have a form of their own. */
const ways: ReadonlyArray<readonly [channel: PreviewedChannel, provider: string]> = [
  ["email", "email"],
  ["sms", "sms"],
  ["push", "push"],
  ["inbox", "inbox"],
  ["direct_message", "direct_message"],
  ["direct_message", "slack"],
  ["direct_message", "msteams"],
  ["webhook", "webhook"],
  ["banner", "banner"]
]

export const layer = Layer.effect(
  Previews,
  Effect.gen(function*() {
    const { known, placed } = yield* Stages.make
    // Who looks is not the recipient, whose preferences the links must not change.
    const { render } = yield* Effect.provideService(Render.make, PreferenceLinks, yield* harmless)
    const templates = yield* Templates
    const tenantTemplates = yield* TenantTemplates
    const strategies = yield* Strategies

    /** What a template's strategy would add to a send; nothing where it is gone (`Mapping`). */
    const strategyOf = (scope: Scope, { routing }: Template) =>
      routing === null
        ? Effect.undefined
        : Effect.catchTag(strategies.resolve(scope, routing.strategy_id), "StrategyNotFound", () => Effect.undefined)

    return Previews.of({
      show: Effect.fnUntraced(function*(scope, id, { brandId, channels, data, to, version }) {
        const at = yield* Clock.currentTimeMillis
        const { alias, template: workspaces } = yield* templates.get(scope, id, version)
        const recipient = Addressing.inTenant(to, {})
        const keyState = version === "draft" ? "draft" : "published"
        // A numbered version is the workspace's own, whatever the tenant has.
        const own = typeof version === "number" || typeof recipient.tenant_id !== "string"
          ? undefined
          : yield* tenantTemplates.resolve(scope, recipient.tenant_id, id, keyState)
        const template = own === undefined ? workspaces : { ...workspaces, content: own.content }
        const strategy = yield* strategyOf(scope, template)
        const message: OpenMessage = yield* placed({
          id: nobody,
          requestId: nobody,
          scope,
          shard: 0,
          lane: "transactional",
          recipientKey: "",
          keyState,
          status: "ENQUEUED",
          enqueuedAt: at,
          dueAt: 0,
          tries: 0,
          tenantId: undefined,
          recovered: false,
          recipient,
          instructions: Settings.routed(Settings.routed({ template: id, data, brand_id: brandId }, own), strategy),
          size: 0,
          attempts: []
        })
        const found = yield* known({
          message,
          content: template.content,
          template: { id, alias, template },
          isOneTimePassword: false
        })
        const topic = template.subscription === null
          ? undefined
          : { id: template.subscription.topic_id, isInHeader: false }
        const asked = ways.filter(([channel]) => channels.length === 0 || channels.includes(channel))
        return yield* Effect.forEach(
          asked,
          ([channel, provider]) =>
            show(
              { channel, provider },
              render({ ...found, topic }, at)({ _tag: "Candidate", channel, provider, timeout: undefined })
            )
        )
      }, inTime)
    })
  })
)
