import { observed } from "#test/parity/Observations.ts"
import type { Attempt } from "#schemas/Attempt.ts"
import type { HistoryEvent } from "#schemas/History.ts"
import { MessageId } from "#schemas/MessageId.ts"
import type { Reason } from "#schemas/Status.ts"
import { Journal, type NewMessage, type Step } from "#src/delivery/Journal.ts"
import * as Ids from "#src/delivery/intake/Ids.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import type { Story } from "#test/parity/Both.ts"
import type { Chooser } from "#test/src/content/Choices.ts"
import { Effect } from "effect"

import { readers } from "#test/parity/JournalReads.ts"
const texts = ["", "a", "A", "é", "e\u0301", "\u{1f984}", " a", "x".repeat(300), "a\u0000b", "\ud800"] as const
const short = ["a", "A", "é", "", "\u{1f984}"] as const
const lanes = ["transactional", "bulk"] as const
const runs: readonly [Step["lifecycle"], ...ReadonlyArray<Step["lifecycle"]>] = [
  [],
  ["Route"],
  ["Send"],
  ["Route", "Send"],
  ["Delay"],
  ["Due"],
  ["Undeliver"],
  ["Filter"],
  ["Send", "Deliver"],
  ["Unmap"]
]
const outcomes = ["accepted", "rejected", "unknown"] as const
const providers = ["null", "smtp", "SMTP"] as const

/** Messages on two shards, their owners, the second door and every reader. */
export const journal: Story = (place) => {
  const messages: Array<NewMessage> = []
  const steps: Array<Step> = []
  const epochs = new Map<number, number>()
  const open = new Map<string, Attempt>()
  const calls = new Map<string, number>()
  let clock = place.at
  let ids = 0
  const shards = [place.shard * 2, place.shard * 2 + 1] as const

  const newId = (at: number) => Ids.make(at, new Uint8Array(11).fill(++ids % 250))
  const one = ({ below }: Chooser) => messages[below(Math.max(1, messages.length))]
  const missing = MessageId.make("1-00000000-000000000000000000000000")
  const maybe = <A>({ below }: Chooser, value: () => A): A | undefined => below(2) === 0 ? undefined : value()
  const plain = ({ below, from }: Chooser) => below(6) === 0 ? from(texts) : from(short)

  const message = (choose: Chooser, more: Partial<NewMessage>): NewMessage => {
    const at = place.at + choose.below(4)
    const recipientKey = choose.from(["ada", "Ada", "bob"])
    return Fixture.message(place, {
      id: newId(at),
      enqueuedAt: at,
      shard: shards[recipientKey === "bob" ? 1 : 0],
      lane: choose.from(lanes),
      dueAt: choose.from([0, 0, place.at + 5, place.at + 1_000]),
      recipientKey,
      tenantId: maybe(choose, () => choose.from(["t", "T", ""])),
      event: plain(choose),
      recipientName: choose.from(short),
      template: choose.from(short),
      traceId: maybe(choose, () => choose.from(short)),
      tags: choose.from([[], ["a"], ["a", "A"], ["", "é"], ["a,b", "{}"]]),
      events: choose.from([[], [{ type: "DELAYED", ts: at }]]),
      ...more
    })
  }

  const accept = (choose: Chooser) => {
    const request = choose.below(3) === 0 ? newId(place.at) : undefined
    const count = request === undefined ? 1 : 1 + choose.below(3)
    const all = Array.from({ length: count }, (_, n) =>
      request === undefined
        ? message(choose, {})
        : message(choose, { id: Ids.member(request, `${n}`), requestId: request, enqueuedAt: place.at }))
    const made = all.map((message) => request === undefined ? { ...message, requestId: message.id } : message)
    const acceptance = Fixture.acceptance(place, made, {
      at: clock,
      key: choose.below(4) === 0
        ? Fixture.key(place, { value: plain(choose), expiresAt: clock + choose.from([0, 1, 50]) })
        : undefined,
      profiles: choose.below(4) === 0 ? [{ scope: place.scope, userId: plain(choose), profile: { a: "\ud800" } }] : []
    })
    messages.push(...made)
    return {
      said: {
        accept: made.map(({ id, requestId, shard, lane, dueAt, tenantId, recipientKey }) => ({
          id,
          requestId,
          shard,
          lane,
          dueAt,
          tenantId,
          recipientKey
        })),
        key: acceptance.key?.value
      },
      run: Journal.use((_) => _.accept(acceptance))
    }
  }

  const take = ({ from }: Chooser) => {
    const shard = from(shards)
    epochs.set(shard, (epochs.get(shard) ?? 0) + 1)
    return {
      said: { take: shard },
      run: Effect.map(Journal.use((_) => _.take(shard, "node", clock)), ({ epoch, shard }) => ({ epoch, shard }))
    }
  }

  const attempt = (choose: Chooser, id: string): Attempt | undefined => {
    const intent = open.get(id)
    if (choose.below(3) === 0) return undefined
    if (intent === undefined || choose.below(6) === 0) {
      const number = (calls.get(id) ?? 0) + 1
      const made = Fixture.attempt(number, "intent", {
        channel: choose.from(["email", "sms"]),
        provider: choose.from(providers),
        startedAt: clock
      })
      return made
    }
    return {
      ...intent,
      state: choose.from(outcomes),
      endedAt: clock,
      kind: choose.from([null, "Unavailable", "RecipientRejected"]),
      retryAfter: choose.from([null, 0, 1_500]),
      reference: choose.from([null, "ref", "", "é", "a\u0000b"]),
      error: choose.from([null, "", "bad", "\ud800"])
    }
  }

  const record = (choose: Chooser) => {
    const target = one(choose) ?? Fixture.message(place, { id: missing, shard: shards[0] })
    const again = choose.below(5) === 0 ? steps.at(-1) : undefined
    const own = attempt(choose, target.id)
    const lines: ReadonlyArray<HistoryEvent> = own === undefined
      ? [{ type: "ROUTED", ts: clock }]
      : own.state === "intent"
      ? [{ type: "RENDERED", ts: clock, channel: own.channel, output: Fixture.rendered(choose.from(["T", "U"])) }, {
        type: "DELIVERING",
        ts: clock
      }]
      : [{ type: "RETRYING", ts: clock, error: "\ud800" }]
    const step: Step = again ??
      Fixture.step(target, (epochs.get(target.shard) ?? 0) - (choose.below(8) === 0 ? 1 : 0), {
        at: clock,
        attempt: own,
        // Not of outcomes: which of them, proved meanwhile, counts as a repeat, the stores tell by different marks.
        conditional: own === undefined ? choose.below(4) === 0 : own.state === "intent",
        lifecycle: choose.from(runs),
        dueAt: choose.from([undefined, undefined, 0, clock + 5, clock + 1_000, null]),
        tries: maybe(choose, () => choose.below(6)),
        reason: maybe(choose, () => choose.from<Reason>(["FAILED", "FILTERED"])),
        error: maybe(choose, () => choose.from(["", "e", "é"])),
        events: choose.below(5) === 0 ? [] : lines,
        message: {
          ...target,
          recipient: { user_id: "ada", tenant_id: choose.from([null, "u", ""]) },
          ...choose.from([{}, {}, { templateId: "tpl" }, { templateId: "" }])
        },
        inbox: choose.below(6) === 0
          ? {
            userId: choose.from(short),
            tenantId: maybe(choose, () => choose.from(short)),
            rendered: Fixture.rendered("\ud800"),
            createdAt: clock,
            expiresAt: maybe(choose, () => clock + choose.below(20))
          }
          : undefined
      })
    steps.push(step)
    return {
      said: {
        record: {
          ...step,
          events: step.events.length,
          message: { id: step.message.id, recipient: step.message.recipient, templateId: step.message.templateId }
        }
      },
      run: Effect.map(
        Journal.use((_) => _.record(step)),
        (result) => result._tag === "Written" ? result.status : result._tag
      ),
      learn: (answer: unknown) => {
        if (own === undefined || again !== undefined || answer === "Refused" || answer === "Fenced") return
        if (own.state === "intent") {
          calls.set(target.id, own.number)
          open.set(target.id, own)
        } else open.delete(target.id)
      }
    }
  }

  const observe = (choose: Chooser) => observed(place, choose, one(choose)?.id ?? missing, clock)

  const { archive, due, list, look } = readers({ place, shards, messages, clock: () => clock })
  const first = [
    () => take({ below: () => 0, from: ([one]) => one }),
    () => take({ below: () => 1, from: (all) => all[1] ?? all[0] })
  ]
  return (choose) => {
    const opening = first.shift()
    if (opening !== undefined) return opening()
    clock += choose.below(3)
    return choose.from([
      accept,
      record,
      record,
      look,
      list,
      due,
      observe,
      look,
      record,
      look,
      archive,
      accept,
      record,
      take
    ])(choose)
  }
}
