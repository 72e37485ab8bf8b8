import { DecisionSource } from "#schemas/PreferenceDecision.ts"
import { PreferenceStatus } from "#schemas/Preferences.ts"
import { resolve, type Statement } from "#src/people/PreferenceResolution.ts"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"

const names = ["email", "sms", "push", "inbox"] as const

const Statements: Schema.Codec<ReadonlyArray<Statement>> = Schema.Array(Schema.Struct({
  source: DecisionSource,
  id: Schema.String,
  status: Schema.UndefinedOr(PreferenceStatus),
  snoozed: Schema.Boolean,
  channels: Schema.UndefinedOr(Schema.Array(Schema.Literals(names)))
})).check(Schema.isMaxLength(6))
const Channels = Schema.Array(Schema.Literals(names)).check(Schema.isMaxLength(4))

const unique = (channels: ReadonlyArray<string>) => [...new Set(channels)]

/** The channels that the message may still go through. */
const left = (statements: ReadonlyArray<Statement>, channels: ReadonlyArray<string>): ReadonlyArray<string> => {
  const decision = resolve(statements, channels)
  return decision.outcome === "DROPPED" ? [] : decision.channels?.kept ?? channels
}

const say = (more: Partial<Statement>): Statement => ({
  source: "user",
  id: "pt",
  status: undefined,
  snoozed: false,
  channels: undefined,
  ...more
})

/** Who may require a message. */
const requiring = ["message", "tenant_default", "topic_default"] as const

describe("PreferenceResolution", () => {
  it.prop("always decides; a reason is there exactly for what is dropped", {
    statements: Statements,
    channels: Channels
  }, ({ channels, statements }) => {
    const decision = resolve(statements, unique(channels))
    assert.strictEqual(decision.reason !== undefined, decision.outcome === "DROPPED")
  })

  it.prop(
    "REQUIRED of a default or of the send always wins, wherever it stands",
    { statements: Statements, channels: Channels, source: Schema.Literals(requiring) },
    ({ channels, source, statements }) => {
      const index = statements.length >> 1
      const required = statements.toSpliced(index, 0, say({ source, status: "REQUIRED" }))
      const decision = resolve(required, unique(channels))
      assert.deepInclude(decision, { outcome: "KEPT", status: "REQUIRED" })
      if (channels.length > 0) assert.isNotEmpty(left(required, unique(channels)))
    }
  )

  it.prop(
    "REQUIRED of a list, a subscription or a stored record is an opt-in: whoever opted out stays out (api.md 10.4, 4)",
    {
      statements: Statements,
      channels: Channels,
      source: Schema.Literals(["list", "subscription", "recipient", "user", "user_in_tenant"])
    },
    ({ channels, source, statements }) => {
      const index = statements.length >> 1
      const says = (status: "OPTED_IN" | "REQUIRED") =>
        resolve(statements.toSpliced(index, 0, say({ source, status })), unique(channels))
      assert.deepStrictEqual(says("REQUIRED"), says("OPTED_IN"))
    }
  )

  it.prop(
    "what is left are channels of the message, in its order",
    { statements: Statements, channels: Channels },
    ({ channels, statements }) => {
      const named = unique(channels)
      const kept = left(statements, named)
      assert.deepStrictEqual(kept, named.filter((channel) => kept.includes(channel)))
      const { channels: parts } = resolve(statements, named)
      if (parts !== undefined) assert.sameMembers([...parts.kept, ...parts.dropped], named)
    }
  )

  it.prop("opting out, or snoozing, never adds a channel", {
    statements: Statements,
    channels: Channels,
    snoozed: Schema.Boolean
  }, ({ channels, snoozed, statements }) => {
    const named = unique(channels)
    const out = say(snoozed ? { snoozed: true } : { status: "OPTED_OUT" })
    for (let index = 0; index <= statements.length; index++) {
      const before = left(statements, named)
      const after = left(statements.toSpliced(index, 0, out), named)
      const isRequired = statements.some(({ source, status }) =>
        status === "REQUIRED" && requiring.some((one) => one === source)
      )
      if (isRequired) assert.deepStrictEqual(after, before)
      else assert.includeMembers([...before], [...after])
    }
  })

  it.prop("a weaker word does not change what a stronger one decided, but REQUIRED", {
    statements: Statements,
    weaker: Statements,
    channels: Channels
  }, ({ channels, statements, weaker }) => {
    const named = unique(channels)
    const settled = [
      say({ status: "OPTED_OUT", channels: ["email"] }),
      ...statements.filter(({ status }) => status !== "REQUIRED")
    ]
    const later = weaker.filter(({ status }) => status !== "REQUIRED")
    assert.deepStrictEqual(resolve([...settled, ...later], named), resolve(settled, named))
  })

  it.prop("who has opted in gets it, whatever a weaker word says; who snoozes does not", {
    source: DecisionSource,
    weaker: Statements
  }, ({ source, weaker }) => {
    const others = weaker.filter(({ status }) => status !== "REQUIRED").map((one) => ({ ...one, channels: undefined }))
    assert.deepStrictEqual(resolve([say({ source, status: "OPTED_IN" }), ...others], ["email"]), {
      outcome: "KEPT",
      status: "OPTED_IN",
      rule: { source, id: "pt" }
    })
    assert.deepInclude(resolve([say({ source, status: "OPTED_IN", snoozed: true }), ...others], ["email"]), {
      outcome: "DROPPED",
      status: "OPTED_OUT",
      rule: { source, id: "pt", snoozed: true }
    })
  })

  it("who opted out is unsubscribed, who never opted in has to", () => {
    const reasonOf = (statement: Partial<Statement>) => resolve([say(statement)], ["email"]).reason
    for (const source of ["message", "user_in_tenant", "user", "recipient", "subscription"] as const) {
      assert.strictEqual(reasonOf({ source, status: "OPTED_OUT" }), "UNSUBSCRIBED")
    }
    for (const source of ["list", "tenant_default", "topic_default"] as const) {
      assert.strictEqual(reasonOf({ source, status: "OPTED_OUT" }), "OPT_IN_REQUIRED")
    }
    assert.strictEqual(reasonOf({ status: "OPTED_IN", channels: ["sms"] }), "UNSUBSCRIBED")
    assert.strictEqual(reasonOf({ status: "OPTED_IN", channels: [] }), "UNSUBSCRIBED")
    assert.isUndefined(reasonOf({ source: "topic_default", status: "REQUIRED", channels: [] }))
  })

  it("a required message is so by the strongest who requires it, whatever else that one or a stronger one says", () => {
    const required = say({ source: "tenant_default", id: "acme", status: "REQUIRED", snoozed: true })
    const weaker = say({ source: "topic_default", status: "REQUIRED" })
    const decision = resolve([say({ snoozed: true }), required, weaker], ["email"])
    assert.deepStrictEqual(decision.rule, { source: "tenant_default", id: "acme" })
  })

  it("what is dropped for want of a channel says who chose them, and what is wrong with that", () => {
    for (const source of ["topic_default", "section_default", "tenant_default", "user"] as const) {
      const isCatalogue = source === "topic_default" || source === "section_default"
      assert.deepStrictEqual(resolve([say({ source, channels: ["sms"] })], ["email", "push"]), {
        outcome: "DROPPED",
        status: "OPTED_IN",
        reason: isCatalogue ? "NO_CHANNELS" : "UNSUBSCRIBED",
        channels: { kept: [], dropped: ["email", "push"], rule: { source, id: "pt" } }
      })
    }
    assert.strictEqual(resolve([say({ channels: ["sms"] })], []).outcome, "KEPT", "of no channels none is dropped")
  })

  it("a message of which nobody says anything is kept", () => {
    assert.deepStrictEqual(resolve([], ["email"]), { outcome: "KEPT", status: "OPTED_IN" })
  })
})
