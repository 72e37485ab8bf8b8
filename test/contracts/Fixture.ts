import type { Attempt } from "#schemas/Attempt.ts"
import { MessageId } from "#schemas/MessageId.ts"
import { UserId } from "#schemas/Profile.ts"
import type { Rendered } from "#schemas/Rendered.ts"
import { Scope } from "#schemas/Scope.ts"
import type { IdempotencyKey, StoredResponse } from "#src/access/Idempotency.ts"
import { type Acceptance, type Due, Journal, type NewMessage, type Step, type Window } from "#src/delivery/Journal.ts"
import type { MessageQuery, MessageRecord } from "#src/reports/MessageLog.ts"
import { Effect } from "effect"

/**
 * A place of its own for one test (or one run of a property): a scope, a shard, and a second on the calendar that no other test uses. Many
 * tests share one store.
 */
export interface World {
  readonly scope: Scope
  readonly shard: number
  /** Epoch ms. */
  readonly at: number
}

/** What a look finds where nothing is due, now or later. */
export const nothingDue: Due = {
  rows: [],
  complete: true,
  upTo: undefined,
  timedUpTo: undefined,
  heldUp: new Map(),
  next: undefined
}

const firstSecond = 1_800_000_000
let worlds = 0
let ids = 0

export const world = Effect.sync((): World => {
  const number = ++worlds
  return { scope: Scope.make(1_000 + number), shard: 1_000 + number, at: (firstSecond + number) * 1_000 }
})

/** An id as the intake makes them: the second of the acceptance, then digits without an order. */
export const id = (at: number): MessageId => {
  const seconds = Math.floor(at / 1_000).toString(16).padStart(8, "0")
  const milliseconds = (at % 1_000).toString(16).padStart(3, "0")
  const scattered = (++ids * 0x9e3779b1 % 0x1_0000_0000).toString(16).padStart(8, "0")
  return MessageId.make(`1-${seconds}-${milliseconds}${scattered}${ids.toString(16).padStart(13, "0")}`)
}

export const user = UserId.make("ada")

/** A look at all that is due in the place, by an owner who has nothing in hand. */
export const window = ({ at, shard }: Pick<World, "at" | "shard">, more: Partial<Window> = {}): Window => ({
  shards: [{ shard, takenAtSeq: 0 }],
  now: at,
  held: [],
  fullMailboxes: [],
  fullTurns: [],
  limit: 1_000,
  bytes: 1_000_000,
  ...more
})

export const message = ({ at, scope, shard }: World, more: Partial<NewMessage> = {}): NewMessage => {
  const own = more.id ?? id(more.enqueuedAt ?? at)
  return {
    id: own,
    requestId: own,
    scope,
    shard,
    lane: "transactional",
    recipientKey: "ada",
    keyState: "published",
    status: "ENQUEUED",
    enqueuedAt: at,
    dueAt: 0,
    tries: 0,
    recovered: false,
    recipient: { user_id: "ada" },
    instructions: { content: { title: "Hello", body: "World" } },
    size: 0,
    attempts: [],
    event: "",
    template: "",
    recipientName: "ada",
    tenantId: undefined,
    tags: [],
    traceId: undefined,
    events: [],
    ...more
  }
}

export const response = (body: string, status = 202): StoredResponse => ({
  status,
  body,
  headers: { "content-type": "application/json" }
})

export const key = ({ at, scope }: World, more: Partial<IdempotencyKey> = {}): IdempotencyKey => ({
  scope,
  path: "/send",
  value: "once",
  expiresAt: at + 90_000_000,
  bodyHash: "hash",
  ...more
})

export const acceptance = (
  { at }: World,
  messages: ReadonlyArray<NewMessage>,
  more: Partial<Acceptance> = {}
): Acceptance => ({
  key: undefined,
  response: response(JSON.stringify({ requestId: messages[0]?.requestId ?? "none" })),
  messages,
  profiles: [],
  at,
  ...more
})

/** Stores one message and answers it. */
export const accepted = Effect.fnUntraced(function*(place: World, more: Partial<NewMessage> = {}) {
  const stored = message(place, more)
  const journal = yield* Journal
  yield* journal.accept(acceptance(place, [stored]))
  return stored
})

/** Stores one message in a place of its own, whose shard has an owner. */
export const owned = Effect.gen(function*() {
  const place = yield* world
  const journal = yield* Journal
  const message = yield* accepted(place)
  const { epoch } = yield* journal.take(place.shard, "node", place.at)
  return { place, journal, message, epoch }
})

export const attempt = (number: number, state: Attempt["state"], more: Partial<Attempt> = {}): Attempt => ({
  number,
  channel: "email",
  provider: "null",
  state,
  kind: null,
  startedAt: 1_000,
  endedAt: state === "intent" ? null : 2_000,
  retryAfter: null,
  reference: null,
  error: null,
  ...more
})

/** A step without effect; tests name what it does. */
export const step = (target: NewMessage, epoch: number, more: Partial<Step> = {}): Step => ({
  message: target,
  epoch,
  at: target.enqueuedAt + 10,
  lifecycle: [],
  conditional: false,
  events: [],
  ...more
})

/** A query that filters nothing. */
export const anything: MessageQuery = {
  archived: false,
  limit: 100,
  cursor: undefined,
  enqueuedAfter: undefined,
  event: undefined,
  list: undefined,
  messageId: undefined,
  notification: undefined,
  providers: [],
  recipient: undefined,
  userId: undefined,
  statuses: [],
  tags: [],
  tenantId: undefined,
  traceId: undefined
}

/** A message as the log has it: of ada, accepted in the first ms of 1970 and not yet run. */
export const record = (more: Partial<MessageRecord> = {}): MessageRecord => ({
  id: MessageId.make("1-00000001-000000000000000000000001"),
  requestId: MessageId.make("1-00000001-000000000000000000000001"),
  status: "ENQUEUED",
  reason: undefined,
  error: undefined,
  event: "",
  template: "",
  recipient: "ada",
  userId: "ada",
  tenantId: undefined,
  tags: [],
  traceId: undefined,
  enqueued: 1,
  sent: undefined,
  delivered: undefined,
  opened: undefined,
  clicked: undefined,
  canceledAt: undefined,
  willRetry: false,
  archived: false,
  ...more
})

export const rendered = (title: string): Rendered => ({
  title,
  subject: title,
  body: "body",
  text: "text",
  html: "<p>html</p>",
  blocks: [{ type: "text", text: "text" }],
  actions: [{ content: "open", href: "https://example.com" }]
})

/** Text that JSON allows and that databases are known to break on. */
export const hostile = {
  "nul": "a\u0000b",
  "lone high": "\ud800",
  "lone low": "\udc00 tail",
  "number": "1e200000",
  "huge": 1.7976931348623157e308,
  "escape": "\\u0000",
  "empty": "",
  "": "an empty key",
  "nested": [null, true, [], {}, { "a\u0000": ["\u2028", "👩‍🚀"] }]
}

/** `__proto__` as a key of its own, as `JSON.parse` gives it. */
export const withProto: { readonly [name: string]: string | { readonly polluted: boolean } } = Object.fromEntries([
  ["__proto__", { polluted: true }],
  ["constructor", "data"]
])
