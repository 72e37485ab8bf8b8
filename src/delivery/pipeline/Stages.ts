import type { Brand } from "#schemas/Brand.ts"
import type * as History from "#schemas/History.ts"
import type { PreferenceDecision } from "#schemas/PreferenceDecision.ts"
import type { RecipientPreferences } from "#schemas/Preferences.ts"
import { UserId } from "#schemas/Profile.ts"
import type { LeftOut } from "#schemas/Suppression.ts"
import * as BrandChoice from "#src/content/BrandChoice.ts"
import * as Elemental from "#src/content/Elemental.ts"
import * as Groups from "#src/delivery/intake/Groups.ts"
import * as Mapping from "#src/delivery/pipeline/Mapping.ts"
import type { OpenMessage } from "#src/delivery/journal/OpenMessage.ts"
import type { Plan } from "#src/delivery/attempts/Plan.ts"
import * as NoWay from "#src/delivery/pipeline/NoWay.ts"
import * as Preferences from "#src/delivery/pipeline/Preferences.ts"
import * as PushDevices from "#src/delivery/pipeline/PushDevices.ts"
import type { Provider } from "#src/delivery/Provider.ts"
import { Providers } from "#src/delivery/Providers.ts"
import * as Recipients from "#src/delivery/intake/Recipients.ts"
import * as Refusal from "#src/delivery/pipeline/Refusal.ts"
import * as Routing from "#src/delivery/Routing.ts"
import * as Suppressed from "#src/delivery/pipeline/Suppressed.ts"
import * as Unknown from "#src/delivery/pipeline/Unknown.ts"
import * as Write from "#src/delivery/journal/Write.ts"
import * as Now from "#src/fibers/Now.ts"
import * as Delays from "#src/flows/Delays.ts"
import * as Expiry from "#src/flows/Expiry.ts"
import { type Person, Profiles } from "#src/people/Profiles.ts"
import * as Tenancies from "#src/people/Tenancies.ts"
import * as Trace from "#src/reports/Trace.ts"
import { Effect, Option, type Schema } from "effect"

/** What is known of a message and its recipient before it is decided where it goes: what a rendering needs. */
export interface Known extends Mapping.Mapped {
  readonly tenancy: Tenancies.Tenancy
  readonly profile: Schema.JsonObject
  /** The recipient's legacy preferences. */
  readonly legacy: RecipientPreferences | undefined
  readonly data: Schema.JsonObject
  readonly providers: ReadonlyArray<Provider>
  readonly brandOf: (channel: string) => Brand | undefined
  /** The brand that it names, for itself or for a channel, and that does not exist. */
  readonly unknownBrand: string | undefined
}

/** What the stages before the provider decided of a message. */
export interface Decision extends Known {
  readonly plan: Plan
  /** What the recipient's preferences made of it; `undefined`: nobody had said anything of it. */
  readonly preferences: PreferenceDecision | undefined
  readonly topic: Preferences.SentTopic | undefined
  /** The channels that it does not go through, since the recipient's address for them is suppressed. */
  readonly suppressed: ReadonlyArray<LeftOut>
  /** What it names and does not exist. */
  readonly unknown: History.Unknown | undefined
  /** It does not go to the in-app inbox, since it would have disappeared there by now. */
  readonly expired: boolean
}

/** Whether it is too late for the in-app inbox. One that is there already, or may be, stays in the plan. */
const isOver = ({ attempts, instructions }: OpenMessage, now: number): boolean =>
  Expiry.isOver(instructions, now) &&
  attempts.every(({ channel, state }) => channel !== "inbox" || state === "rejected")

const mapping = Trace.stage("map")
const loading = Trace.stage("profile")
const preferring = Trace.stage("preferences")
const routing = Trace.stage("route")

/** Somebody without a stored profile. */
const stranger: Person = { profile: Option.none(), preferences: undefined }

/**
 * A recipient on a platform that no provider of the workspace serves: a better reason than that other channels have no
 * address.
 */
const unserved = ({ message: { recipient }, profile, providers }: Known): Refusal.Refusal | undefined => {
  const platform = Recipients.platformOf(recipient)
  return platform === undefined || providers.some(({ reaches }) => reaches(profile))
    ? undefined
    : NoWay.unserved(platform)
}

/** What a message names and does not exist, as far as that is known before its preferences. */
const missing = ({ recipient }: OpenMessage, { tenancy, unknownBrand }: Known) => ({
  tenant: Tenancies.unknownTo(tenancy, recipient),
  brand: unknownBrand
})

/**
 * The stages map → profile → preferences → route; they write nothing, so that a dry run is the same as the first half
 * of a run.
 */
export const make = Effect.gen(function*() {
  const map = yield* Mapping.make
  const profiles = yield* Profiles
  const providers = yield* Providers
  const devices = yield* PushDevices.make
  const tenancies = yield* Tenancies.make
  const brand = yield* BrandChoice.make
  const prefer = yield* Preferences.make
  const suppressions = yield* Suppressed.make

  const load = ({ recipient: { user_id: userId }, scope }: OpenMessage): Effect.Effect<Person> =>
    userId === undefined || userId === null
      ? Effect.succeed(stranger)
      : Write.patiently(profiles.person(scope, UserId.make(userId)))

  const known = Effect.fnUntraced(function*(mapped: Mapping.Mapped): Effect.fn.Return<Known> {
    const { message } = mapped
    const configured = yield* Write.patiently(providers.configured(message.scope))
    const tenancy = yield* Write.patiently(tenancies.of(message.scope, message.recipient))
    const person = yield* loading(load(message))
    const inTenant = Tenancies.profileIn(tenancy, Option.getOrElse(person.profile, () => ({})))
    const profile = Recipients.profileFor(yield* devices.added(message, configured, inTenant), message.recipient)
    const data = { ...message.instructions.data, ...message.recipient.data }
    const { brandOf, unknown: unknownBrand } = yield* Write.patiently(brand(message.scope, {
      instructions: message.instructions,
      chain: tenancy.chain,
      template: mapped.template?.template.brand?.id
    }))
    return {
      ...mapped,
      tenancy,
      profile,
      legacy: person.preferences,
      data,
      providers: configured,
      brandOf,
      unknownBrand
    }
  })

  const decideOf = Effect.fnUntraced(function*(
    stored: OpenMessage,
    found: Known,
    at: number | undefined
  ): Effect.fn.Return<Decision, Refusal.Refusal> {
    const { content, data, profile, providers } = found
    const isWritten = ({ channel, key, names = [] }: Provider) =>
      Elemental.isWritten(content, { channel, providers: [key, ...names] })
    const { decision, instructions, only, topic, unknownTopic } = yield* preferring(prefer(stored, found, at))
    const suppressed = yield* suppressions(stored, instructions, profile, providers)
    const findings = NoWay.none()
    const isExpired = isOver(found.message, at ?? (yield* Now.millis))
    const plan = yield* Effect.suspend(() =>
      Effect.fromResult(
        Routing.plan({ ...instructions, data }, profile, providers, {
          allowed: only,
          isWritten,
          suppressed,
          isExpired,
          findings
        })
      )
    ).pipe(
      Effect.mapError((refusal) =>
        Refusal.knowing(unserved(found) ?? refusal, { decision, unknown: Unknown.of({ topic: unknownTopic }) })
      ),
      routing
    )
    const message = instructions === found.message.instructions ? found.message : { ...found.message, instructions }
    const leftOut = Suppressed.leftOut(findings.suppressed, plan)
    const unknown = Unknown.of({ ...missing(stored, found), topic: unknownTopic })
    return {
      ...found,
      message,
      plan,
      preferences: decision,
      topic,
      suppressed: leftOut,
      unknown,
      expired: findings.expired
    }
  })

  /** What has no template may have one only in a tenant. */
  const unmapped = ({ recipient, scope }: OpenMessage, refusal: Refusal.Refusal) =>
    Effect.flatMap(
      Write.patiently(tenancies.of(scope, recipient)),
      (tenancy) =>
        Effect.fail(
          Refusal.knowing(refusal, { unknown: Unknown.of({ tenant: Tenancies.unknownTo(tenancy, recipient) }) })
        )
    )

  const decideIn = Effect.fnUntraced(function*(
    stored: OpenMessage,
    at: number | undefined
  ): Effect.fn.Return<Decision, Refusal.Refusal> {
    const group = Recipients.isDirect(stored.recipient) ? undefined : Groups.named(stored.recipient)
    if (group !== undefined) return yield* Refusal.unroutable("NO_CHANNELS", `${group} does not exist`)
    const mapped = yield* mapping(map(stored)).pipe(Effect.catch((refusal) => unmapped(stored, refusal)))
    const found = yield* known(mapped)
    return yield* decideOf(stored, found, at).pipe(
      Effect.mapError((refusal) =>
        Refusal.knowing(refusal, {
          templateId: mapped.message.templateId,
          unknown: Unknown.of(missing(stored, found))
        })
      )
    )
  })

  /** The message in the tenant that its recipient is in, named or not. */
  const placed = (stored: OpenMessage): Effect.Effect<OpenMessage> =>
    Effect.map(
      Write.patiently(tenancies.placed(stored.scope, stored.recipient)),
      (recipient) => recipient === stored.recipient ? stored : { ...stored, recipient, isPlaced: true }
    )

  /** `at`, in epoch ms: when the message is to go, for what holds only for a time; missing, it is now. */
  const decide = (stored: OpenMessage, at?: number): Effect.Effect<Decision, Refusal.Refusal> =>
    Effect.flatMap(placed(stored), (message) =>
      message === stored
        ? decideIn(stored, at)
        : Effect.mapError(
          decideIn(message, at),
          (refusal) => Refusal.knowing(refusal, { recipient: message.recipient })
        ))

  const waitOf = Effect.fnUntraced(function*(
    stored: OpenMessage,
    now: number
  ): Effect.fn.Return<number | undefined, Refusal.Refusal> {
    const { instructions: { delay }, scope } = stored
    const message = yield* placed(stored)
    const { recipient } = message
    const tenancy = yield* Write.patiently(tenancies.of(scope, recipient))
    const person = yield* load(message)
    const profile = Recipients.profileFor(
      Tenancies.profileIn(tenancy, Option.getOrElse(person.profile, () => ({}))),
      recipient
    )
    return yield* Effect.fromResult(Delays.waitOf(delay, profile, now)).pipe(
      Effect.mapError((detail) => Refusal.knowing(Refusal.undeliverable("FAILED", detail), { recipient }))
    )
  })

  /**
   * Until when the message has to wait for its recipient's own time (api.md 26.6); `undefined`: no longer. Times in
   * epoch ms.
   */
  const wait = (stored: OpenMessage, now: number): Effect.Effect<number | undefined, Refusal.Refusal> =>
    Delays.isOfRecipient(stored.instructions.delay) && stored.attempts.length === 0
      ? waitOf(stored, now)
      : Effect.undefined

  return { known, decide, placed, wait }
})
