import * as Cue from "#layers/testing/Cue.ts"
import type { Call } from "#layers/testing/History.ts"
import type { Loop, Process } from "#layers/testing/Loop.ts"
import { type DeliveryError, RecipientRejected, Unavailable, Unknown } from "#schemas/DeliveryError.ts"
import type { Profile } from "#schemas/Profile.ts"
import type { Scope } from "#schemas/Scope.ts"
import type { Acceptance, Delivery, Provider, Vendor } from "#src/delivery/Provider.ts"
import { isList, isObject } from "#schemas/Json.ts"
import { sentence } from "#schemas/SchemaRefusal.ts"
import * as Slots from "#src/delivery/attempts/Slots.ts"
import { Effect, Exit, Result, Schema } from "effect"

/**
 * A time in which a provider cannot be reached: from `from` until just before `until`, in ms since the world began. For
 * good if `until` is `Infinity`.
 */
export interface Down {
  readonly from: number
  readonly until: number
}

/** A provider of a simulated world. */
export interface VendorOptions {
  readonly key: string
  readonly channel: string
  /**
   * The field of the profile that holds the address. With `firebaseToken`, `apn`, `expo` or `oneSignalPlayerID` it reaches
   * the devices of users, all with one call: its `address` is all of their tokens, with a space between two.
   */
  readonly address: string
  /** Whether it delivers only once what is sent again with the same token, as vendors with idempotency keys do. */
  readonly folds?: boolean
  /** How many calls it may get at a time from each node in each environment; the others wait. By default any number. */
  readonly connections?: number
  /**
   * How many calls it takes within a second in each environment. Of the others it says that they are too many
   * (`RateLimited`), for a second. By default any number.
   */
  readonly perSecond?: number
  /**
   * Addresses that it refuses for good (`RecipientRejected`), written as in the profiles and recipients. Of channel
   * `email` or `sms` they are sent to no more, by any provider, for 30 days.
   */
  readonly rejects?: ReadonlyArray<string>
  /** When it refuses connections. It takes none of the calls that begin then, and the caller can tell. */
  readonly down?: ReadonlyArray<Down>
  /**
   * What it does with its first calls in each environment, in their order, not counting those that `rejects`, `down` or
   * `perSecond` decide. After the last cue it accepts.
   */
  readonly script?: ReadonlyArray<Cue.Cue>
  /**
   * What it does with a call, by what the call says: its message, its attempt, what was rendered. Calls that `rejects`,
   * `down` or `perSecond` decide are not asked about; where it answers `undefined`, `script` decides. It is to answer the
   * same to the same, or a seed does not replay.
   */
  readonly answers?: (call: Call) => Cue.Cue | undefined
}

/** Made once: an error captures the stack where it is made, which costs more than a whole simulated call. */
const refused = new Unavailable({ detail: "The connection was refused" })
const broken = new Unknown({ detail: "The connection broke" })
const dead = new RecipientRejected({ detail: "The provider answered RecipientRejected", invalidates: true })

const textOf = ({ rendered }: Delivery): string => JSON.stringify(rendered)

/** The address in a field, or the tokens of devices as profiles have them (api.md 2.2). */
const addressesIn = (value: Schema.Json | undefined): ReadonlyArray<string> => {
  if (typeof value === "string") return [value]
  if (isList(value)) return value.flatMap(addressesIn)
  return isObject(value) ? [...addressesIn(value["token"]), ...addressesIn(value["tokens"])] : []
}

const ofDevices = new Set(["firebaseToken", "apn", "expo", "oneSignalPlayerID"])

const addressOf = (profile: Profile, field: string): string | undefined => {
  const said = profile[field]
  if (!ofDevices.has(field)) return typeof said === "string" ? said : undefined
  const addresses = addressesIn(said)
  return addresses.length === 0 ? undefined : addresses.join(" ")
}

const unreachable: Cue.Cue = { _tag: "Lose", after: 20, taken: false, proved: true }
const rejection: Cue.Cue = { _tag: "Refuse", after: 20, kind: "RecipientRejected" }
const tooMany: Cue.Cue = { _tag: "Refuse", after: 20, kind: "RateLimited", retryAfter: 1_000 }

const decode = Schema.decodeUnknownResult(Schema.UndefinedOr(Cue.Cue))

/**
 * What a call itself decides, before its provider's script does. `earlier`: when the calls came that `perSecond` let in.
 * `isWrong` is told in a sentence why an answer of `answers` is none.
 */
const decided = (
  { answers, down, key, perSecond, rejects }: VendorOptions,
  call: Call,
  earlier: Array<number>,
  isWrong: (fault: string) => void
): Cue.Cue | undefined => {
  if (down?.some(({ from, until }) => from <= call.calledAt && call.calledAt < until) === true) return unreachable
  if (call.address !== undefined && rejects?.includes(call.address) === true) return rejection
  if (perSecond !== undefined) {
    const first = earlier.at(-perSecond)
    if (first !== undefined && call.calledAt - first < 1_000) return tooMany
    earlier.push(call.calledAt)
  }
  if (answers === undefined) return undefined
  try {
    const decoded = decode(answers(call))
    if (Result.isSuccess(decoded)) return decoded.success
    isWrong(sentence(decoded.failure.issue, `what answers of the vendor ${key} gave`))
  } catch (error) {
    isWrong(`answers of the vendor ${key} failed: ${error instanceof Error ? error.message : String(error)}`)
  }
  return undefined
}

/** A provider and the version of its settings in an environment. */
interface Installed {
  readonly options: VendorOptions
  readonly version: number
}

/** Ms within which every node sees a change of a provider's settings (`ProviderConfigurations.installed`). */
const freshness = 2_000

/**
 * The outside world: scripted providers, which record every call that they get. `called` gets the name of the node and the
 * ms until it is answered.
 */
export const make = (
  loop: Loop,
  options: ReadonlyArray<VendorOptions>,
  called: (node: string, ms: number) => void
) => {
  const calls: Array<Call> = []
  let underWay = 0
  let fault: string | undefined
  const isWrong = (what: string) => {
    fault ??= what
  }
  const tokens = new Set<string>()
  const next = new Map<string, number>()
  const times = new Map<string, Array<number>>()
  const everywhere: ReadonlyArray<Installed> = options.map((one) => ({ options: one, version: 1 }))
  const environments = new Map<Scope, ReadonlyArray<Installed>>()
  const versions = new Map<string, number>()
  const installed = (scope: Scope): ReadonlyArray<Installed> => environments.get(scope) ?? everywhere

  const scripted = (scope: Scope, { key, script }: VendorOptions): Cue.Cue => {
    const name = `${scope} ${key}`
    const turn = next.get(name) ?? 0
    next.set(name, turn + 1)
    return script?.[turn] ?? Cue.promptly
  }

  /** One call over the network: it arrives even if its caller dies meanwhile. */
  const exchange = (
    caller: Process,
    call: Call,
    { folds = false }: VendorOptions,
    cue: Cue.Cue,
    resume: (exit: Exit.Exit<Acceptance, DeliveryError>) => void
  ) => {
    const after = Cue.duration(cue)
    underWay++
    called(caller.name, after)
    loop.after(after / 2, () => {
      call.taken = Cue.takes(cue)
      const name = `${call.scope} ${call.provider} ${call.token}`
      call.folded = call.taken && folds && tokens.has(name)
      if (call.taken) tokens.add(name)
      loop.trace(`call ${call.messageId} ${call.attempt} ${call.provider} ${call.taken}`)
      loop.after(after / 2, () => {
        underWay--
        caller.post(() => {
          call.heardAt = loop.now()
          call.heard = Cue.told(cue)
          call.retryAfter = cue._tag === "Refuse" ? cue.retryAfter ?? undefined : undefined
          resume(
            cue._tag === "Accept"
              ? Exit.succeed({ reference: `${call.provider}-${call.number}` })
              : Exit.fail(
                cue === rejection
                  ? dead
                  : cue._tag === "Refuse"
                  ? Cue.errorOf(cue)
                  : cue.proved
                  ? refused
                  : broken
              )
          )
        })
      })
    })
  }

  const vendor = (
    caller: Process,
    scope: Scope,
    { options: vendorOptions, version }: Installed,
    slots: Slots.Slots | undefined
  ): Vendor => ({
    _tag: "Vendor",
    ...(slots === undefined ? {} : { slots: () => slots }),
    key: vendorOptions.key,
    channel: vendorOptions.channel,
    version: `${version}`,
    reaches: (profile) => addressOf(profile, vendorOptions.address) !== undefined,
    addressOf: (profile) => addressOf(profile, vendorOptions.address),
    send: (delivery) =>
      Effect.callback((resume) => {
        const call: Call = {
          number: calls.length,
          node: caller.name,
          scope,
          provider: vendorOptions.key,
          version,
          channel: vendorOptions.channel,
          messageId: delivery.messageId,
          attempt: delivery.attempt,
          token: delivery.idempotencyToken,
          address: addressOf(delivery.profile, vendorOptions.address),
          rendered: delivery.rendered,
          text: textOf(delivery),
          calledAt: loop.now(),
          wall: loop.wall(),
          taken: false,
          folded: false,
          heard: undefined,
          heardAt: undefined,
          retryAfter: undefined
        }
        calls.push(call)
        const name = `${scope} ${vendorOptions.key}`
        const earlier = times.get(name) ?? []
        times.set(name, earlier)
        const cue = decided(vendorOptions, call, earlier, isWrong) ?? scripted(scope, vendorOptions)
        exchange(caller, call, vendorOptions, cue, resume)
      })
  })

  const inbox: Provider = {
    _tag: "Inbox",
    key: "inbox",
    channel: "inbox",
    reaches: (profile) => typeof profile["user_id"] === "string"
  }

  return {
    calls,
    /** Calls whose answers have not arrived yet, also where nobody waits for them any more. */
    underWay: () => underWay,
    /** What is wrong with an answer of `answers`, if one was. */
    fault: () => fault,
    keys: options.map(({ key }) => key),
    configure: (scope: Scope, key: string) => {
      const name = `${scope} ${key}`
      const version = (versions.get(name) ?? 1) + 1
      versions.set(name, version)
      const now = installed(scope)
      environments.set(
        scope,
        options.flatMap((one) => {
          if (one.key === key) return [{ options: one, version }]
          return now.filter(({ options }) => options === one)
        })
      )
    },
    withdraw: (scope: Scope, key: string) => {
      environments.set(scope, installed(scope).filter(({ options }) => options.key !== key))
    },
    /** The providers as one node sees them in an environment, up to `freshness` old. */
    of: (caller: Process) => {
      const slots = new Map<string, Slots.Slots>()
      /** Its own for each settings, also after those of another provider were changed. */
      const slotsOf = (scope: Scope, { options: { connections, key }, version }: Installed) => {
        if (connections === undefined) return undefined
        const name = `${scope} ${key} ${version}`
        const own = slots.get(name) ?? Slots.make(connections)
        slots.set(name, own)
        return own
      }
      const seen = new Map<Scope, {
        readonly at: number
        readonly of: ReadonlyArray<Installed>
        readonly providers: ReadonlyArray<Provider>
      }>()
      return (scope: Scope): ReadonlyArray<Provider> => {
        const known = seen.get(scope)
        const at = loop.now()
        if (known !== undefined && at - known.at < freshness) return known.providers
        const of = installed(scope)
        const providers = known?.of === of
          ? known.providers
          : [inbox, ...of.map((one) => vendor(caller, scope, one, slotsOf(scope, one)))]
        seen.set(scope, { at, of, providers })
        return providers
      }
    }
  }
}
