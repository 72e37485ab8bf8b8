import type { Chance } from "#layers/testing/Chance.ts"
import type { ChannelSettings, Routing, RoutingEntry } from "#schemas/Routing.ts"
import type { SendMessage } from "#schemas/SendMessage.ts"
import type { Array } from "effect"

type Send = typeof SendMessage.Encoded

const plain: Array.NonEmptyReadonlyArray<Routing | undefined> = [
  { method: "single", channels: ["email"] },
  { method: "single", channels: ["email", "sms"] },
  { method: "single", channels: ["sms", "email"] },
  { method: "all", channels: ["email", "sms"] },
  { method: "single", channels: ["inbox"] },
  { method: "all", channels: ["sms", "inbox"] },
  { method: "single", channels: ["inbox", "email", "sms"] },
  undefined
]

const channels: Array.NonEmptyReadonlyArray<string> = ["email", "email", "sms", "sms", "push", "inbox"]
const keys: Array.NonEmptyReadonlyArray<string> = ["mail", "post", "text", "ring", "inbox", "gone"]

/** What the conditions ask for is in every message (`Story.ts`): the first holds, the second does not. */
const conditions: Array.NonEmptyReadonlyArray<string> = ["data.on", "data.off"]

const method = (chance: Chance) => chance.happens(0.5) ? "all" : "single"

const condition = (chance: Chance) => chance.happens(0.2) ? { if: chance.pick(conditions) } : {}

const entry = (chance: Chance, depth: number): RoutingEntry => {
  const drawn = chance.next()
  if (depth > 0 && drawn < 0.25) return nested(chance, depth - 1)
  if (drawn < 0.4) {
    return {
      channel: chance.pick(channels),
      ...(chance.happens(0.4) ? { method: method(chance) } : {}),
      ...(chance.happens(0.3) ? { providers: [chance.pick(keys), chance.pick(keys)] } : {}),
      ...condition(chance)
    }
  }
  if (drawn < 0.55) {
    return {
      provider: chance.pick(keys),
      ...(chance.happens(0.4) ? { timeouts: chance.int(1, 30_000) } : {}),
      ...condition(chance)
    }
  }
  return drawn < 0.65 ? chance.pick(keys) : chance.pick(channels)
}

const nested = (chance: Chance, depth: number): Routing => ({
  method: method(chance),
  channels: globalThis.Array.from({ length: chance.int(1, 3) }, () => entry(chance, depth))
})

/** Where a message is to go: as most people say it, or as nobody thought that it could be said. */
export const routing = (chance: Chance): Routing | undefined =>
  chance.happens(0.6) ? chance.pick(plain) : nested(chance, 2)

const settings = (chance: Chance): ChannelSettings => ({
  ...(chance.happens(0.5) ? { routing_method: method(chance) } : {}),
  ...(chance.happens(0.3) ? { providers: [chance.pick(["post", "mail", "text"]), "mail", "text"] } : {}),
  ...(chance.happens(0.3) ? { timeouts: { channel: chance.int(1, 60_000), provider: chance.int(1, 30_000) } } : {}),
  ...condition(chance)
})

/** What a message says of its channels and providers besides. */
export const details = (chance: Chance): Pick<Send, "channels" | "providers"> => ({
  ...(chance.happens(0.15) ? { channels: { [chance.pick(channels)]: settings(chance) } } : {}),
  ...(chance.happens(0.08)
    ? { providers: { [chance.pick(keys)]: { timeouts: chance.int(1, 20_000), ...condition(chance) } } }
    : {})
})
