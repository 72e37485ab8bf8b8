import type { LimitName, SendLimitRecord } from "#src/flows/SendLimits.ts"
import type { LimitedBy, SendLimit } from "#schemas/SendLimit.ts"
import * as Limiting from "#src/flows/Limiting.ts"
import { assert, describe, it } from "@effect/vitest"

const now = Date.parse("2026-11-29T12:34:56Z")

const limit = (per: LimitedBy, said: SendLimit, period: LimitName["period"] = "day"): SendLimitRecord => ({
  per,
  period,
  said,
  created: 0,
  updated: undefined
})

const ada: Limiting.Limited = { recipientKey: "1:user:ada", userId: "ada", topicId: "pt_news", tenantId: "acme" }
const nobody: Limiting.Limited = { recipientKey: undefined, userId: undefined, topicId: undefined, tenantId: undefined }

const most = (record: SendLimitRecord, more: Partial<Limiting.Limited> = {}) =>
  Limiting.tallyOf(record, { ...ada, ...more })?.most
const subject = (per: LimitedBy, more: Partial<Limiting.Limited>) =>
  Limiting.tallyOf(limit(per, { limit: 1 }), { ...ada, ...more })?.subject

describe("Limiting", () => {
  it("a message counts by what the limit is per, in the stretch of time that it is in", () => {
    const tally = Limiting.tallyOf(limit("user", { limit: 3 }), ada)
    assert.deepStrictEqual(tally && { ...Limiting.countAt(tally, now), subject: "" }, {
      per: "user",
      period: "day",
      from: Date.parse("2026-11-29T00:00:00Z"),
      until: Date.parse("2026-11-30T00:00:00Z"),
      subject: "",
      most: 3
    })
    const others = { recipientKey: "1:email:ada@example.com", topicId: "pt_offers", tenantId: "other" }
    const toldApart: Readonly<Record<LimitedBy, ReadonlyArray<keyof typeof others>>> = {
      global: [],
      user: ["recipientKey"],
      topic: ["topicId"],
      user_topic: ["recipientKey", "topicId"],
      tenant: ["tenantId"]
    }
    for (const per of ["global", "user", "topic", "user_topic", "tenant"] as const) {
      for (const field of ["recipientKey", "topicId", "tenantId"] as const) {
        const isApart = subject(per, {}) !== subject(per, { [field]: others[field] })
        assert.strictEqual(isApart, toldApart[per].includes(field), `${per} ${field}`)
      }
    }
  })

  it("who is none of what a limit is per is not counted", () => {
    for (const per of ["user", "topic", "user_topic", "tenant"] as const)
      assert.isUndefined(Limiting.tallyOf(limit(per, { limit: 0 }), nobody), per)
    assert.strictEqual(Limiting.tallyOf(limit("global", { limit: 0 }), nobody)?.most, 0)
    for (const field of ["recipientKey", "topicId"] as const)
      assert.isUndefined(Limiting.tallyOf(limit("user_topic", { limit: 0 }), { ...ada, [field]: undefined }), field)
  })

  it("an override is for its own user, topic or tenant, and without a limit nobody else is limited", () => {
    assert.deepStrictEqual(
      (["user", "topic", "user_topic", "tenant"] as const).map((per) =>
        most(limit(per, { limit: 1, overrides: { ada: 2, pt_news: 3, acme: 4 } }))
      ),
      [2, 3, 3, 4]
    )
    assert.strictEqual(most(limit("user", { limit: 1, overrides: { ada: 0 } })), 0)
    assert.isUndefined(most(limit("user", { overrides: { bob: 2 } })))
    assert.strictEqual(most(limit("user", { limit: 1, overrides: { ada: 2 } }), { userId: undefined }), 1, "an address")
  })

  it("a name that objects have by themselves overrides nothing", () => {
    for (const userId of ["constructor", "__proto__", "toString"])
      assert.strictEqual(most(limit("user", { limit: 1, overrides: { ada: 2 } }), { userId }), 1)
    const said: SendLimit = JSON.parse(`{"limit":1,"overrides":{"__proto__":2}}`)
    assert.strictEqual(most(limit("user", said), { userId: "__proto__" }), 2)
  })

  it("a message of an excluded topic is counted, and never too many", () => {
    const said = { limit: 1, excluded_topics: ["pt_news"] }
    const tally = Limiting.tallyOf(limit("user", said), ada)
    assert.deepStrictEqual([tally?.subject, tally?.most], [subject("user", {}), undefined])
    assert.strictEqual(most(limit("user", said), { topicId: "pt_offers" }), 1)
    assert.strictEqual(most(limit("user", said), { topicId: undefined }), 1)
  })

  it("P9: a count does not tell whose it is", () => {
    const tally = Limiting.tallyOf(limit("user", { limit: 1 }), { ...nobody, recipientKey: "1:email:ada@example.com" })
    assert.notInclude(JSON.stringify(tally), "ada")
    const long = subject("user", { recipientKey: "a".repeat(10_000) })
    assert.isAtMost(long?.length ?? Infinity, 64, "it fits into a key of an index")
  })
})
