import type { Brand } from "#schemas/Brand.ts"
import { UserId } from "#schemas/Profile.ts"
import * as BrandChoice from "#src/content/BrandChoice.ts"
import * as Mapping from "#src/delivery/Mapping.ts"
import type { OpenMessage } from "#src/delivery/OpenMessage.ts"
import type { Plan } from "#src/delivery/Plan.ts"
import * as PushDevices from "#src/delivery/PushDevices.ts"
import type { Provider } from "#src/delivery/Provider.ts"
import { Providers } from "#src/delivery/Providers.ts"
import * as Recipients from "#src/delivery/Recipients.ts"
import type { Refusal } from "#src/delivery/Refusal.ts"
import * as Routing from "#src/delivery/Routing.ts"
import * as Write from "#src/delivery/Write.ts"
import { Profiles } from "#src/people/Profiles.ts"
import * as Tenancies from "#src/people/Tenancies.ts"
import * as Trace from "#src/reports/Trace.ts"
import { Effect, Option, type Schema } from "effect"

/** What is known of a message and its recipient before it is decided where it goes: what a rendering needs. */
export interface Known extends Mapping.Mapped {
  readonly tenancy: Tenancies.Tenancy
  readonly profile: Schema.JsonObject
  readonly data: Schema.JsonObject
  readonly providers: ReadonlyArray<Provider>
  readonly brandOf: (channel: string) => Brand | undefined
}

/** What the stages before the provider decided of a message. */
export interface Decision extends Known {
  readonly plan: Plan
}

/** The stored profile under what the send itself says of the recipient, which wins for this send (api.md §3, Do 3). */
const merged = (stored: Schema.JsonObject, message: OpenMessage): Schema.JsonObject => ({
  ...stored,
  ...Recipients.jsonOf(Recipients.profileOf(message.recipient)),
  ...(typeof message.recipient.user_id === "string" ? { user_id: message.recipient.user_id } : {})
})

/** The stages map → profile → route; they write nothing, so that a dry run is the same as the first half of a run. */
export const make = Effect.gen(function*() {
  const map = yield* Mapping.make
  const profiles = yield* Profiles
  const providers = yield* Providers
  const devices = yield* PushDevices.make
  const tenancies = yield* Tenancies.make
  const brand = yield* BrandChoice.make

  const load = Effect.fnUntraced(function*(message: OpenMessage) {
    const { user_id: userId } = message.recipient
    if (userId === undefined || userId === null) return {}
    const stored = yield* Write.patiently(profiles.find(message.scope, UserId.make(userId)))
    return Option.getOrElse(stored, () => ({}))
  })

  const known = Effect.fnUntraced(function*(mapped: Mapping.Mapped): Effect.fn.Return<Known> {
    const { message } = mapped
    const configured = yield* Write.patiently(providers.configured(message.scope))
    const tenancy = yield* Write.patiently(tenancies.of(message.scope, message.recipient))
    const profile = yield* load(message).pipe(
      Effect.map((stored) => Tenancies.profileIn(tenancy, stored)),
      Effect.flatMap((stored) => devices.added(message, configured, stored)),
      Effect.map((stored) => merged(stored, message)),
      Trace.stage("profile")
    )
    const data = { ...message.instructions.data, ...message.recipient.data }
    const brandOf = yield* Write.patiently(brand(message.scope, {
      instructions: message.instructions,
      chain: tenancy.chain,
      template: mapped.template?.template.brand?.id
    }))
    return { ...mapped, tenancy, profile, data, providers: configured, brandOf }
  })

  const decide = Effect.fnUntraced(function*(stored: OpenMessage): Effect.fn.Return<Decision, Refusal> {
    const found = yield* known(yield* map(stored).pipe(Trace.stage("map")))
    const { data, message, profile, providers } = found
    const plan = yield* Effect.suspend(() =>
      Effect.fromResult(Routing.plan({ ...message.instructions, data }, profile, providers))
    ).pipe(Trace.stage("route"))
    return { ...found, plan }
  })

  return { known, decide }
})
