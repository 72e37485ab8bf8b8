import { intake } from "./Intake.ts"
import { jobs } from "./Jobs.ts"
import { late } from "./Late.ts"
import { limits } from "./Limits.ts"
import { listeners } from "./Listeners.ts"
import { owners } from "./Owners.ts"
import { pages } from "./Pages.ts"
import { receipts } from "./Receipts.ts"

/** A bug as a change of one place of `src/`; `text` is there exactly once. The last ones were real, and the simulator found them. */
export interface Bug {
  readonly name: string
  /** The world that showed it last, which is asked first: a search through all before it would take minutes. */
  readonly seed: number
  readonly file: string
  readonly text: string
  readonly becomes: string
}

const token = "idempotencyToken: `${message.id}:${channel}:${provider}`"

export const bugs: ReadonlyArray<Bug> = [
  {
    name: "a call may start long after its intent",
    seed: 46,
    file: "src/delivery/attempts/Call.ts",
    text: "const freshness = 2_000n",
    becomes: "const freshness = 2_000_000n"
  },
  {
    name: "the token of a provider counts attempts",
    seed: 1,
    file: "src/delivery/attempts/Call.ts",
    text: token,
    becomes: "idempotencyToken: `${message.id}:${channel}:${provider}:${number}`"
  },
  {
    name: "the token of a provider names the recipient only",
    seed: 2,
    file: "src/delivery/attempts/Call.ts",
    text: token,
    becomes: "idempotencyToken: `${message.recipientKey}:${channel}:${provider}`"
  },
  {
    name: "an attempt that was left without outcome is forgotten",
    seed: 10,
    file: "src/delivery/attempts/Outcome.ts",
    text: `const open = attempts.find(({ state }) => state === "intent")`,
    becomes: "const open = attempts.find(() => false)"
  },
  {
    name: "an attempt that was left without outcome is taken for sent",
    seed: 21,
    file: "src/delivery/attempts/Outcome.ts",
    text: `unknown(open, endedAt, "The owner stopped before the outcome was known")`,
    becomes: "accepted(open, endedAt)"
  },
  {
    name: "an unknown outcome is taken for a refusal",
    seed: 2,
    file: "src/delivery/attempts/Outcome.ts",
    text: `failure._tag === "Unknown" ? "unknown" : "rejected"`,
    becomes: `"rejected"`
  },
  {
    name: "what another provider may have sent is not marked",
    seed: 13,
    file: "src/delivery/attempts/position/OfCandidate.ts",
    text: "attempts.some(Calls.isUnknown)",
    becomes: "mine.some(Calls.isUnknown)"
  },
  {
    name: "a provider's Retry-After is ignored",
    seed: 184,
    file: "src/delivery/attempts/position/OfCandidate.ts",
    text: "last.retryAfter ?? 0",
    becomes: "0"
  },
  {
    name: "everybody uses the providers of production",
    seed: 7,
    file: "src/delivery/pipeline/Stages.ts",
    text: "providers.configured(message.scope)",
    becomes: "providers.configured(1 as typeof message.scope)"
  },
  {
    name: "the newest message of a mailbox goes first",
    seed: 8,
    file: "src/delivery/Mailboxes.ts",
    text: "mailbox[lane].shift()",
    becomes: "mailbox[lane].pop()"
  },
  {
    name: "a message is cancelled while its provider has it",
    seed: 131,
    file: "src/delivery/journal/Evidence.ts",
    text: `(event === "Cancel" && calls.some(isOpen))`,
    becomes: "false"
  },
  {
    name: "a reader outlives its node",
    seed: 1,
    file: "src/delivery/shards/DueLoop.ts",
    text: "Effect.forever,\n    Effect.forkScoped",
    becomes: "Effect.forever,\n    Effect.forkDetach"
  },
  {
    name: "a refusal logs the recipient",
    seed: 1,
    file: "src/delivery/Pipeline.ts",
    text: "recipient = message.recipient, type } = refusal",
    becomes: `recipient = message.recipient, type } = refusal
      yield* Effect.logInfo("refused", message.recipient)`
  },
  {
    name: "found: the first provider gets its turn after its stand-in succeeded",
    seed: 54,
    file: "src/delivery/attempts/position/OfBranch.ts",
    text: `if (branch.method === "single" && positions.some(({ _tag }) => _tag === "Succeeded"))`,
    becomes: `if (branch.method === "single" && positions[0]?._tag === "Succeeded")`
  },
  {
    name: "found: what was sent one way is refused the next",
    seed: 5,
    file: "src/delivery/attempts/Settlement.ts",
    text: "handedOver || !Lifecycle.isOpen(message.status)",
    becomes: "false"
  },
  {
    name: "found: a bounce ends what is to be tried again",
    seed: 264,
    file: "src/delivery/journal/Evidence.ts",
    text: "livesOn(calls, call) || dueAt !== undefined)",
    becomes: "livesOn(calls, call))"
  },
  {
    name: "found: what bounced was handed over, so that the next channel sends nothing",
    seed: 2356,
    file: "src/delivery/attempts/Hand.ts",
    text: `state === "accepted" && kind === null)`,
    becomes: `state === "accepted" || (kind === null && state === "accepted"))`
  },
  {
    name: "a channel of `all` is left out after another one was taken",
    seed: 2,
    file: "src/delivery/attempts/position/OfBranch.ts",
    text: "return next ?? aside ?? (succeeded",
    becomes: "return (succeeded ? undefined : next) ?? aside ?? (succeeded"
  },
  {
    name: "an escalation does not wait",
    seed: 66,
    file: "src/delivery/attempts/position/OfBranch.ts",
    text: "const due = since + escalation.after",
    becomes: "const due = since"
  },
  {
    name: "what was taken is never escalated",
    seed: 68,
    file: "src/delivery/attempts/position/OfBranch.ts",
    text: "escalation.isMet || next === undefined)",
    becomes: "escalation.isMet || next !== null)"
  },
  {
    name: "who opts out of what was begun is not asked again",
    seed: 20,
    file: "src/delivery/pipeline/Preferences.ts",
    text: "return silent || ",
    becomes: "return silent || sent.attempts.length > 0 || "
  },
  {
    name: "what users said in production counts everywhere",
    seed: 5,
    file: "src/delivery/pipeline/Preferences.ts",
    text: "users.find({ scope, userId",
    becomes: "users.find({ scope: 1 as typeof scope, userId"
  },
  {
    name: "a list ends with its first page",
    seed: 7,
    file: "src/delivery/expansion/Paging.ts",
    text: "page.length === limit) after",
    becomes: "page.length > limit) after"
  },
  {
    name: "who is on two lists gets two messages",
    seed: 1667,
    file: "src/delivery/expansion/Paging.ts",
    text: "Ids.member(requestId, key)",
    becomes: "Ids.member(requestId, `${key} ${place.index}`)"
  },
  {
    name: "a list has the members of production",
    seed: 216,
    file: "src/delivery/expansion/Paging.ts",
    text: "members.page(scope, group.source",
    becomes: "members.page(1 as typeof scope, group.source"
  },
  {
    name: "members of a list are called before their page is stored",
    seed: 91,
    file: "src/delivery/journal/FirstSteps.ts",
    text: "waiting.set(id, resume)",
    becomes: `waiting.set(id, resume)
      resume(Effect.succeed({ _tag: "Written", status: "ROUTED", provenAtNanos: 2n ** 62n }))`
  },
  {
    name: "members of a page that was not stored are called all the same",
    seed: 537,
    file: "src/delivery/expansion/Begin.ts",
    text: "isWritten ? advanced.intents : undefined",
    becomes: `new Map(intents.map(({ lifecycle: _, message }) =>
        [message.id, { _tag: "Written" as const, status: "ROUTED" as const, provenAtNanos: 2n ** 62n }] as const
      ))`
  },
  {
    name: "the owner of a request to many is not told of it",
    seed: 79,
    file: "src/delivery/Shards.ts",
    text: "readers.bulk.behind()\n      expander.behind()",
    becomes: "readers.bulk.behind()"
  },
  {
    name: "a node keeps the providers that it met first",
    seed: 25,
    file: "src/delivery/pipeline/Stages.ts",
    text: "const configured = yield* Write.patiently(providers.configured(message.scope))",
    becomes: `const kept = providers as unknown as Record<number, ReadonlyArray<Provider>>
    const configured = kept[message.scope] ??= yield* Write.patiently(providers.configured(message.scope))`
  },
  {
    name: "a one-time password does not wait for the receipt of what broke",
    seed: 238,
    file: "src/delivery/Pipeline.ts",
    text: "isOneTimePassword ? passwordUnknownWait : 0",
    becomes: "isOneTimePassword ? 0 : 0"
  },
  {
    name: "a topic that the store does not answer for is taken for one that does not exist",
    seed: 414,
    file: "src/delivery/pipeline/Preferences.ts",
    text: "Write.patiently(catalogue.resolve(scope, id))",
    becomes: "Effect.catch(catalogue.resolve(scope, id), () => Effect.succeed(Option.none()))"
  },
  {
    name: "what was made of one content is said for the next of its channel",
    seed: 2,
    file: "src/cache/Recent.ts",
    text: "(part, n) => part === parts[n]",
    becomes: "(part, n) => n === 0 || part === parts[n]"
  },
  {
    name: "an outcome takes back what a receipt has told before it",
    seed: 103,
    file: "src/delivery/Lifecycle.ts",
    text: `DELIVERED: { Open`,
    becomes: `DELIVERED: { Send: "SENT", Open`
  },
  {
    name: "what is cancelled while its intent is on its way is called all the same",
    seed: 212,
    file: "src/delivery/attempts/Call.ts",
    text: "conditional: true,",
    becomes: "conditional: false,"
  },
  {
    name: "found: what a receipt told of while it waited is sent again",
    seed: 231,
    file: "src/delivery/attempts/Call.ts",
    text: "isOvertaken(one, intended) ? notPlaced(one, overtaken) : place()",
    becomes: "place()"
  },
  ...intake,
  ...jobs,
  ...late,
  ...limits,
  ...listeners,
  ...owners,
  ...pages,
  ...receipts
]
