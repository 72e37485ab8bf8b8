import * as Deadline from "#layers/providers/Deadline.ts"
import * as Cue from "#layers/testing/Cue.ts"
import * as Decided from "#layers/testing/Decided.ts"
import type { Call } from "#layers/testing/History.ts"
import type { Loop, Process } from "#layers/testing/Loop.ts"
import * as Reached from "#layers/testing/Reached.ts"
import * as Said from "#layers/testing/Said.ts"
import type { VendorOptions } from "#layers/testing/VendorOptions.ts"
import { type DeliveryError, RecipientRejected, Unavailable, Unknown } from "#schemas/DeliveryError.ts"
import type { Profile } from "#schemas/Profile.ts"
import type { Scope } from "#schemas/Scope.ts"
import type { Acceptance, Provider, Vendor } from "#src/delivery/Provider.ts"
import * as Slots from "#src/delivery/attempts/Slots.ts"
import { Effect, Exit } from "effect"

/** Made once: an error captures the stack where it is made, which costs more than a whole simulated call. */
const refused = new Unavailable({ detail: "The connection was refused" })
const late = new Unknown({ detail: "The provider did not answer in time" })
const broken = new Unknown({ detail: "The connection broke" })
const dead = new RecipientRejected({ detail: "The provider answered RecipientRejected", invalidates: true })

/** What every environment has, unless its vendors say how it answers: it posts to the recipient's own webhook. */
const webhook: VendorOptions = { key: "webhook", channel: "webhook", address: "webhook" }

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
  const all = options.some(({ channel }) => channel === webhook.channel) ? options : [webhook, ...options]
  const calls: Array<Call> = []
  let underWay = 0
  let fault: string | undefined
  const isWrong = (what: string) => {
    fault ??= what
  }
  const tokens = new Set<string>()
  const next = new Map<string, number>()
  const times = new Map<string, Array<number>>()
  const everywhere: ReadonlyArray<Installed> = all.map((one) => ({ options: one, version: 1 }))
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
    { deadline = Deadline.handOver, folds = false }: VendorOptions,
    cue: Cue.Cue,
    resume: (exit: Exit.Exit<Acceptance, DeliveryError>) => void
  ) => {
    const isLate = Cue.duration(cue) > deadline
    const after = isLate ? deadline : Cue.duration(cue)
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
          // Of a connection that was never made one knows that, however long it took.
          const isLost = isLate && !(cue._tag === "Lose" && cue.proved)
          call.heard = isLost ? "lost" : Cue.told(cue)
          call.retryAfter = cue._tag === "Refuse" && !isLost ? cue.retryAfter ?? undefined : undefined
          resume(
            isLost
              ? Exit.fail(late)
              : cue._tag === "Accept"
              ? Exit.succeed({ reference: `${call.provider}-${call.number}` })
              : Exit.fail(
                cue === Decided.rejection
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
    reaches: (profile) => Reached.at(profile, vendorOptions.address) !== undefined,
    addressOf: (profile) => Reached.at(profile, vendorOptions.address),
    // Each recipient has a server of its own: what the circuit breaker learns of one tells nothing of the others.
    ...(vendorOptions.channel === webhook.channel
      ? { serverOf: (profile: Profile) => Reached.at(profile, vendorOptions.address) }
      : {}),
    send: (delivery) => {
      const address = Reached.at(delivery.profile, vendorOptions.address)
      const refusal = Reached.refusal(vendorOptions, address)
      if (refusal !== undefined) return refusal
      return Effect.callback((resume) => {
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
          address,
          rendered: delivery.rendered,
          text: Said.of(delivery.rendered),
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
        const cue = Decided.decided(vendorOptions, call, earlier, isWrong) ?? scripted(scope, vendorOptions)
        exchange(caller, call, vendorOptions, cue, resume)
      })
    }
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
        all.flatMap((one) => {
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
