import type { Profile } from "#schemas/Profile.ts"
import type { Instructions } from "#schemas/SendMessage.ts"
import { type LeftOut, SuppressionChannel, type SuppressionReason } from "#schemas/Suppression.ts"
import { candidates, type Plan } from "#src/delivery/attempts/Plan.ts"
import type { OpenMessage } from "#src/delivery/journal/OpenMessage.ts"
import * as Write from "#src/delivery/journal/Write.ts"
import * as Leads from "#src/delivery/pipeline/Leads.ts"
import type { DeadAddress } from "#src/delivery/pipeline/DeadAddresses.ts"
import type { Provider } from "#src/delivery/Provider.ts"
import * as SuppressedAddress from "#src/people/SuppressedAddress.ts"
import { type Address, Suppressions } from "#src/people/Suppressions.ts"
import { Effect, Schema } from "effect"

/** Those of a recipient's addresses that are suppressed, and why. */
export type Suppressed = ReadonlyArray<Address & LeftOut>

export const none: Suppressed = []

const isChannel = Schema.is(SuppressionChannel)

/** The address that a provider calls, for those that call one that can be suppressed (`Vendor.addressOf`). */
const addressOf = (
  provider: Provider,
  profile: Profile,
  override: Schema.JsonObject
): Address | undefined => {
  const { channel } = provider
  if (provider._tag !== "Vendor" || !isChannel(channel)) return undefined
  const written = provider.addressOf?.(profile, override)
  const address = written === undefined ? undefined : SuppressedAddress.of(channel, written)
  return address === undefined ? undefined : { channel, address }
}

const isSame = (one: Address, other: Address): boolean => one.channel === other.channel && one.address === other.address

/** What suppresses the address that a provider would call with this override; `undefined`: nothing does. */
export const find = (
  suppressed: Suppressed,
  provider: Provider,
  profile: Profile,
  override: Schema.JsonObject
): LeftOut | undefined => {
  const address = addressOf(provider, profile, override)
  const found = address && suppressed.find((one) => isSame(one, address))
  return found && { channel: found.channel, reason: found.reason }
}

/** An address that a provider says is dead. */
export const ofDead = ({ address: written, channel }: Pick<DeadAddress, "address" | "channel">): Suppressed => {
  const address = isChannel(channel) ? SuppressedAddress.of(channel, written) : undefined
  return isChannel(channel) && address !== undefined ? [{ channel, address, reason: "BOUNCED" }] : none
}

/** Of the channels that were found suppressed, those that are not in the plan: another provider may call elsewhere. */
export const leftOut = (found: ReadonlyArray<LeftOut>, plan: Plan): ReadonlyArray<LeftOut> => {
  if (found.length === 0) return found
  const planned = new Set(candidates(plan).map(({ channel }) => channel))
  return found.filter(({ channel }) => !planned.has(channel))
}

/** The addresses of a recipient that a message may go to. */
const addressesOf = (
  { routing }: Pick<Instructions, "routing">,
  profile: Profile,
  configured: ReadonlyArray<Provider>
): ReadonlyArray<Address> => {
  const found: Array<Address> = []
  for (const provider of configured) {
    const address = addressOf(provider, profile, {})
    if (address === undefined || found.some((one) => isSame(one, address))) continue
    if (Leads.to(address.channel, routing, configured)) found.push(address)
  }
  return found
}

/**
 * Which of a recipient's addresses are suppressed, as `ask` has it; it is asked only of those that a message may go to.
 */
export const of = <E>(
  ask: (address: Address) => Effect.Effect<SuppressionReason | undefined, E>,
  instructions: Pick<Instructions, "routing">,
  profile: Profile,
  configured: ReadonlyArray<Provider>
): Effect.Effect<Suppressed, E> => {
  const [first, ...others] = addressesOf(instructions, profile, configured)
  if (first === undefined) return Effect.succeed(none)
  const suppressed = (address: Address) =>
    Effect.map(ask(address), (reason): Suppressed => reason === undefined ? none : [{ ...address, reason }])
  // Most messages go to one, and a fiber for each would cost more than all the rest here.
  return others.length === 0
    ? suppressed(first)
    : Effect.map(Effect.forEach([first, ...others], suppressed, { concurrency: "unbounded" }), (all) => all.flat())
}

/**
 * The stage that asks which of its recipient's addresses a message is not to go to, together with all messages of its
 * turn of the event loop. Those of a channel in which it may have arrived already are never among them: there it is tried
 * on, since nobody knows whether it has.
 */
export const make = Effect.gen(function*() {
  const suppressions = yield* Suppressions
  return (
    { attempts, scope }: OpenMessage,
    instructions: Pick<Instructions, "routing">,
    profile: Profile,
    configured: ReadonlyArray<Provider>
  ): Effect.Effect<Suppressed> =>
    Effect.map(
      of((address) => Write.patiently(suppressions.reason(scope, address)), instructions, profile, configured),
      (found) =>
        found.filter(({ channel }) =>
          attempts.every((attempt) => attempt.channel !== channel || attempt.state === "rejected")
        )
    )
})
