import type { Unverifiable } from "#src/reports/Callbacks.ts"
import { type Row, send } from "#test/contracts/VendorRow.ts"
import { type Genuine, read } from "#test/layers/providers/receipts/Forgeries.ts"
import * as Posted from "#test/layers/providers/receipts/Posted.ts"
import { bounced, delivered } from "#test/layers/providers/receipts/SnsMessages.ts"
import { awsSes as awsSesRow } from "#test/layers/providers/rows/AwsSes.ts"
import { postmark as postmarkRow } from "#test/layers/providers/rows/Postmark.ts"
import { sendGrid as sendGridRow } from "#test/layers/providers/rows/SendGrid.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"

const Marks = Schema.Record(Schema.String, Schema.String)
const Body = Schema.fromJsonString(Schema.Struct({
  custom_args: Schema.optional(Marks),
  Metadata: Schema.optional(Marks),
  EmailTags: Schema.optional(Schema.Array(Schema.Struct({ Name: Schema.String, Value: Schema.String })))
}))

/** What the vendor's request of a mail to Ann carries, and hands back with each event of it. */
const marksOf = Effect.fnUntraced(function*(row: Row, override: Schema.JsonObject) {
  const { seen } = yield* send(row, row.success, { more: { override } })
  const { custom_args, EmailTags, Metadata } = yield* Schema.decodeUnknownEffect(Body)(seen.at(-1)?.body)
  return custom_args ?? Metadata ?? Object.fromEntries((EmailTags ?? []).map(({ Name, Value }) => [Name, Value]))
})

/** The marks of a mail with a copy, those of one without, and those of one to more people than the marks have room for. */
const marked = Effect.fnUntraced(function*(row: Row) {
  const many = Array.from({ length: 12 }, (_, index) => `p${index}@example.org`)
  return {
    copied: yield* marksOf(row, { bcc: "log@example.org" }),
    alone: yield* marksOf(row, {}),
    many: yield* marksOf(row, { to: many, cc: "log@example.org" })
  }
})

type Kinds = (
  marks: typeof Marks.Type,
  address: string
) => Effect.Effect<ReadonlyArray<string> | undefined, Unverifiable>

/** The report of a copy is nothing; of the recipient's own mail, in whatever spelling, it is taken. */
const tells = Effect.fnUntraced(function*(row: Row, kinds: ReadonlyArray<[string, Kinds]>) {
  const { alone, copied, many } = yield* marked(row)
  assert.isUndefined(alone["tidings_to"])
  // Postmark refuses a mail with a longer value.
  for (const value of Object.values({ ...copied, ...many })) assert.isAtMost(value.length, 80)
  for (const [kind, of] of kinds) {
    assert.deepStrictEqual(yield* of(copied, "log@example.org"), [])
    assert.deepStrictEqual(yield* of(copied, "Ann@Example.com"), [kind])
    assert.deepStrictEqual(yield* of(alone, "ann@example.com"), [kind])
    assert.deepStrictEqual(yield* of(many, "p8@example.org"), [kind])
  }
})

const kinds = (posted: Genuine) => Effect.map(read(posted), (receipts) => receipts?.map((receipt) => receipt.event))

const sendGrid = (event: string): Kinds => (marks, email) => kinds(Posted.sendGrid({ event, email, ...marks }))

const postmark = (RecordType: string): Kinds => (Metadata, address) =>
  kinds(Posted.postmark({
    RecordType,
    Metadata,
    ...(RecordType === "Bounce" ? { Type: "HardBounce", Email: address } : { Recipient: address })
  }))

const awsSesReceipts = (record: object, marks: typeof Marks.Type) =>
  Effect.flatMap(
    Posted.awsSes(record, Object.fromEntries(Object.entries(marks).map(([name, value]) => [name, [value]]))),
    read
  )

const awsSes = (record: (address: string) => object): Kinds => (marks, address) =>
  Effect.map(awsSesReceipts(record(address), marks), (receipts) => receipts?.map((receipt) => receipt.event))

describe("What becomes of a copy (cc, bcc) says nothing of the message", () => {
  it.effect("at SendGrid", () =>
    tells(sendGridRow, [
      ["Deliver", sendGrid("delivered")],
      ["Bounce", sendGrid("bounce")],
      ["Open", sendGrid("open")],
      ["Click", sendGrid("click")]
    ]))

  it.effect("at Postmark", () =>
    tells(postmarkRow, [
      ["Deliver", postmark("Delivery")],
      ["Bounce", postmark("Bounce")],
      ["Open", postmark("Open")],
      ["Click", postmark("Click")]
    ]))

  it.effect("at SES, where an event names its addresses", () =>
    tells(awsSesRow, [
      ["Deliver", awsSes((address) => ({ ...delivered, delivery: { ...delivered.delivery, recipients: [address] } }))],
      [
        "Bounce",
        awsSes((emailAddress) => ({
          ...bounced,
          bounce: { ...bounced.bounce, bouncedRecipients: [{ emailAddress, status: "5.1.1" }] }
        }))
      ]
    ]))

  it.effect("at SES a bounce that names nobody may be the recipient's own: it counts", () =>
    Effect.gen(function*() {
      const { copied } = yield* marked(awsSesRow)
      for (const bouncedRecipients of [undefined, [], [{ status: "5.1.1" }]]) {
        const bounce = { bounceType: "Permanent", ...(bouncedRecipients === undefined ? {} : { bouncedRecipients }) }
        const receipts = yield* awsSesReceipts({ eventType: "Bounce", bounce }, copied)
        assert.deepStrictEqual(receipts?.map((receipt) => receipt.event), ["Bounce"])
      }
    }))

  it.effect("at SES an opening or a click does not say whose it is: it counts, at its own time", () =>
    Effect.gen(function*() {
      const { copied } = yield* marked(awsSesRow)
      const at = Date.parse("2017-08-09T21:59:49.927Z")
      for (const [eventType, name] of [["Open", "open"], ["Click", "click"]] as const) {
        const record = { eventType, [name]: { timestamp: new Date(at).toISOString() } }
        assert.deepStrictEqual(
          (yield* awsSesReceipts(record, copied))?.map((receipt) => [receipt.event, receipt.at]),
          [[eventType, at]]
        )
      }
    }))
})
