import type { Attempt } from "#schemas/Attempt.ts"
import type { Kind } from "#schemas/DeliveryError.ts"
import { MessageId } from "#schemas/MessageId.ts"
import type { Branch, Candidate, Plan } from "#src/delivery/attempts/Plan.ts"
import type { Position, Situation } from "#src/delivery/attempts/position/Situation.ts"

export const id = MessageId.make("1-00000001-0123456789abcdef01234567")
export const day = 24 * 3_600_000

export const candidate = (channel: string, provider: string, timeout?: number): Candidate => ({
  _tag: "Candidate",
  channel,
  provider,
  timeout
})
export const channel = (name: string, providers: ReadonlyArray<Candidate>): Branch => ({
  _tag: "Branch",
  method: "single",
  channel: name,
  timeout: undefined,
  children: providers
})
export const plan = (method: "all" | "single", children: ReadonlyArray<Plan>): Branch => ({
  _tag: "Branch",
  method,
  channel: undefined,
  timeout: undefined,
  children
})

export const attempt = (
  number: number,
  at: Candidate,
  state: Attempt["state"],
  startedAt: number,
  kind: Kind | null = null
): Attempt => ({
  number,
  channel: at.channel,
  provider: at.provider,
  state,
  kind,
  startedAt,
  endedAt: state === "intent" ? null : startedAt,
  retryAfter: null,
  reference: null,
  error: null
})

export const situation = (now: number, over: Partial<Situation> = {}): Situation => ({
  id,
  now,
  deadline: 3 * day,
  waits: [5_000, 10_000, 20_000],
  unknownWait: 0,
  openUntil: () => undefined,
  ...over
})

export const nextOf = (found: Position) =>
  found._tag === "Next" ? [found.candidate.channel, found.candidate.provider] : found._tag

export const first = candidate("email", "one")
export const second = candidate("email", "two")
export const text = candidate("sms", "three")
export const hook = candidate("webhook", "hook")
export const single = plan("single", [channel("email", [first, second]), channel("sms", [text])])

export const atOf = (found: Position) => found._tag === "Next" ? found.at : undefined
