import type { Attempt } from "#schemas/Attempt.ts"
import type { HistoryEvent } from "#schemas/History.ts"
import { details, isAmbiguous, providers } from "#src/reports/MessageDetails.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { assert, describe, it } from "@effect/vitest"

const record = Fixture.record({ status: "OPENED", template: "nt_1", sent: 20, delivered: 30, opened: 40 })

const attempt = (number: number, provider: string, state: Attempt["state"], more: Partial<Attempt> = {}): Attempt => ({
  number,
  channel: "email",
  provider,
  state,
  kind: null,
  startedAt: number * 10,
  endedAt: state === "intent" ? null : number * 10 + 1,
  retryAfter: null,
  reference: null,
  error: null,
  ...more
})

const channel = { key: "email", name: "email", template: "nt_1" }
const never = { sent: undefined, delivered: undefined, opened: undefined, clicked: undefined, reference: undefined }

describe("MessageDetails", () => {
  it("tells all that is known of a message, under the names of the API", () => {
    const known = {
      status: "UNDELIVERABLE",
      reason: "BOUNCED",
      error: "5.1.1",
      event: "welcome",
      recipient: "ada",
      enqueued: 1,
      sent: 20,
      delivered: 30,
      opened: 40,
      clicked: 50,
      canceledAt: 60,
      willRetry: true,
      archived: true
    } as const
    assert.deepStrictEqual(details({ ...record, ...known, tenantId: "acme", tags: ["t"], traceId: "trace" }), {
      ...known,
      id: record.id,
      requestId: record.requestId,
      notification: "nt_1",
      tenant_id: "acme",
      metadata: { tags: ["t"], trace_id: "trace" }
    })
  })
})

describe("MessageDetails.providers", () => {
  it("tells of a call that was taken and bounced later", () =>
    assert.deepInclude(
      providers(record, [attempt(1, "smtp", "accepted", { kind: "RecipientRejected", error: "5.1.1" })], [])[0],
      { status: "UNDELIVERABLE", sent: 11, error: "5.1.1" }
    ))

  it("tells each provider's last call, and the recipient's doings of the one that sent", () =>
    assert.deepStrictEqual(
      providers(record, [
        attempt(1, "ses", "rejected", { error: "451" }),
        attempt(2, "ses", "rejected", { error: "550" }),
        attempt(3, "smtp", "accepted", { reference: "r" })
      ], []),
      [
        { channel, provider: "ses", status: "UNDELIVERABLE", ...never, error: "550" },
        {
          channel,
          provider: "smtp",
          status: "OPENED",
          sent: 31,
          delivered: 30,
          opened: 40,
          clicked: undefined,
          error: undefined,
          reference: { id: "r" }
        }
      ]
    ))

  const mail = attempt(1, "ses", "accepted")
  const text = attempt(2, "twilio", "accepted", { channel: "sms" })
  const of = (type: HistoryEvent["type"], ts: number, { channel, provider }: Attempt): HistoryEvent => ({
    type,
    ts,
    channel,
    provider
  })

  it("is in the order of the calls, however they come", () => {
    const calls = [
      attempt(1, "ses", "rejected", { error: "451" }),
      attempt(2, "ses", "rejected"),
      attempt(3, "smtp", "accepted")
    ]
    const told = providers(record, calls, [])
    for (const order of [[2, 1, 0], [1, 2, 0], [2, 0, 1]]) {
      assert.deepStrictEqual(providers(record, order.flatMap((n) => calls[n] ?? []), []), told)
    }
    const again = [attempt(1, "smtp", "accepted"), attempt(2, "ses", "accepted"), attempt(3, "smtp", "accepted")]
    const lines = [{ type: "OPENED" as const, ts: 40 }]
    assert.deepStrictEqual(
      providers(record, again, lines).map(({ opened, provider }) => [provider, opened]),
      [["smtp", 40], ["ses", undefined]]
    )
  })

  it("credits a report without a call to what was sent last, where no mail was", () => {
    const sent = ["one", "two", "three"].map((name, n) => attempt(n + 1, name, "accepted", { channel: "push" }))
    assert.deepStrictEqual(
      providers(record, sent, [{ type: "OPENED" as const, ts: 40 }]).map(({ opened }) => opened),
      [undefined, undefined, 40]
    )
  })

  it("needs the timeline just when a deed may belong to one of several that took it", () => {
    const silent = { ...record, delivered: undefined, opened: undefined, clicked: undefined }
    const taken = [mail, text]
    for (const deed of ["delivered", "opened", "clicked"])
      assert.isTrue(isAmbiguous({ ...silent, [deed]: 1 }, taken), deed)
    assert.isFalse(isAmbiguous(silent, taken))
    assert.isFalse(isAmbiguous(record, [mail]))
    assert.isFalse(isAmbiguous(record, [mail, { ...mail, number: 2 }]))
    assert.isFalse(isAmbiguous(record, [mail, { ...text, state: "rejected" }]))
  })

  it("tells what the recipient did of the provider that it proves, not of the one that sent last", () =>
    assert.deepStrictEqual(
      providers(record, [mail, text], [of("DELIVERED", 30, mail), of("OPENED", 40, mail), of("OPENED", 50, mail)]).map(
        ({ delivered, opened, provider, status }) => ({ provider, status, delivered, opened })
      ),
      [
        { provider: "ses", status: "OPENED", delivered: 30, opened: 40 },
        { provider: "twilio", status: "SENT", delivered: undefined, opened: undefined }
      ]
    ))

  it("tells of each way what is proven of it, and of one that bounced nothing that another did", () =>
    assert.deepStrictEqual(
      providers(record, [mail, { ...text, kind: "RecipientRejected" }], [
        of("DELIVERED", 30, mail),
        of("OPENED", 40, mail)
      ])
        .map(({ delivered, provider, status }) => ({ provider, status, delivered })),
      [
        { provider: "ses", status: "OPENED", delivered: 30 },
        { provider: "twilio", status: "UNDELIVERABLE", delivered: undefined }
      ]
    ))

  it("tells it of a call whose provider has been called otherwise since: the timeline keeps the name of its time", () =>
    assert.deepStrictEqual(
      providers(record, [{ ...mail, provider: "mail-b" }, text], [{ ...of("OPENED", 40, mail), attempt: 1 }]).map(
        ({ opened, provider, status }) => ({ provider, status, opened })
      ),
      [
        { provider: "mail-b", status: "OPENED", opened: 40 },
        { provider: "twilio", status: "SENT", opened: undefined }
      ]
    ))

  it("tells the opening of a link, which names no call, of the mail", () =>
    assert.deepStrictEqual(
      providers(record, [mail, text], [of("DELIVERED", 30, text), { type: "OPENED", ts: 40 }]).map(
        ({ opened, provider, status }) => ({ provider, status, opened })
      ),
      [
        { provider: "ses", status: "OPENED", opened: 40 },
        { provider: "twilio", status: "DELIVERED", opened: undefined }
      ]
    ))

  it("tells what names no call of the last mail, and of what was sent last if there was none", () => {
    const statuses = (taken: ReadonlyArray<Attempt>) =>
      providers({ ...record, delivered: undefined, opened: undefined, clicked: 50 }, taken, [
        { type: "CLICKED", ts: 50 }
      ]).map(({ clicked, provider, status }) => [provider, status, clicked])
    const other = attempt(3, "smtp", "accepted")
    assert.deepStrictEqual(statuses([mail, other, { ...text, number: 4 }]), [
      ["ses", "SENT", undefined],
      ["smtp", "CLICKED", 50],
      ["twilio", "SENT", undefined]
    ])
    const hook = attempt(3, "hook", "accepted", { channel: "webhook" })
    for (const calls of [[text, hook], [hook, text]]) {
      assert.sameDeepMembers(statuses(calls), [["twilio", "SENT", undefined], ["hook", "CLICKED", 50]])
    }
  })

  it("what one way alone took is of that one, without its line, whatever failed besides", () =>
    assert.deepStrictEqual(
      providers({ ...record, clicked: 50 }, [mail, { ...text, state: "rejected", kind: "Unavailable" }], []).map(
        ({ clicked, error, provider, sent, status }) => ({ provider, status, sent, clicked, error })
      ),
      [
        { provider: "ses", status: "CLICKED", sent: 11, clicked: 50, error: undefined },
        { provider: "twilio", status: "UNDELIVERABLE", sent: undefined, clicked: undefined, error: "Unavailable" }
      ]
    ))

  it("says of an unknown outcome that it is unknown, and nothing of a call in flight", () =>
    assert.deepStrictEqual(
      providers(record, [attempt(1, "ses", "unknown"), attempt(2, "smtp", "intent")], []),
      [{ channel, provider: "ses", status: "UNDELIVERABLE", ...never, error: "The outcome of the call is unknown" }]
    ))
})
