import type { Profile } from "#schemas/Profile.ts"
import { RoutingMethod } from "#schemas/Routing.ts"
import { Instructions } from "#schemas/SendMessage.ts"
import { candidates, type Plan } from "#src/delivery/attempts/Plan.ts"
import type { Vendor } from "#src/delivery/Provider.ts"
import * as Routing from "#src/delivery/Routing.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"

const vendor = (key: string, channel: string): Vendor => ({
  _tag: "Vendor",
  key,
  channel,
  reaches: (profile) => Object.hasOwn(profile, channel),
  send: () => Effect.succeed({ reference: undefined })
})

const configured = [
  vendor("smtp", "email"),
  vendor("ses", "email"),
  vendor("twilio", "sms"),
  vendor("hook", "webhook"),
  vendor("apn", "push"),
  vendor("inbox", "inbox"),
  vendor("slack", "direct_message")
]

const everywhere: Profile = { email: "a@b.c", sms: "1", push: "1", webhook: "1", inbox: "1", direct_message: "1" }
const minute = 60_000

const branches = (plan: Plan): ReadonlyArray<Plan> => plan._tag === "Branch" ? plan.children : []

const planned = (instructions: Instructions, profile = everywhere): Plan | undefined =>
  Result.getOrUndefined(Routing.plan(instructions, profile, configured))

const providers = (instructions: Instructions, profile = everywhere) => {
  const plan = planned(instructions, profile)
  return plan === undefined ? [] : candidates(plan).map(({ provider }) => provider)
}

const refused = (instructions: Instructions, profile = everywhere, isWritten = true) =>
  Result.match(Routing.plan(instructions, profile, configured, { isWritten: () => isWritten }), {
    onFailure: ({ event, reason }) => [event, reason],
    onSuccess: () => undefined
  })

const through = (...channels: ReadonlyArray<string>): Instructions => ({ routing: { method: "single", channels } })

/** Said, or not, in one of two ways. */
const may = <A extends Schema.Top>(schema: A) => Schema.optionalKey(Schema.NullOr(schema))
const condition = may(Schema.Literals(["data.plan === \"pro\"", "data.plan !== \"pro\""]))
const timeout = may(Schema.Literal(7))
const order = may(Schema.Tuple([Schema.Literals(["smtp", "ses", "gone"])]))
const override = may(Schema.Struct({ body: Schema.Literal("said") }))

/** What a message may say of its way. */
const Said = Schema.Struct({
  data: may(Schema.Struct({ plan: Schema.Literals(["pro", "free"]) })),
  routing: may(Schema.Struct({
    method: RoutingMethod,
    channels: Schema.Tuple([
      Schema.Struct({ channel: Schema.Literal("email"), if: condition, method: may(RoutingMethod), providers: order }),
      Schema.Struct({ provider: Schema.Literal("twilio"), if: condition, override, timeouts: timeout }),
      Schema.Literal("webhook")
    ])
  })),
  channels: may(Schema.Struct({
    email: Schema.Struct({
      if: condition,
      override,
      providers: order,
      routing_method: may(RoutingMethod),
      timeout,
      timeouts: may(Schema.Struct({ channel: timeout, provider: timeout }))
    })
  })),
  providers: may(Schema.Struct({ smtp: Schema.Struct({ if: condition, override, timeout, timeouts: timeout }) })),
  timeout: may(Schema.Struct({ channel: timeout, provider: timeout }))
})

describe("Routing to a plan (api.md 26.3)", () => {
  it.effect.prop("api.md 1.8: null says as little as nothing at all, wherever it stands", {
    said: Said,
    written: Schema.Array(Schema.Literals(["email", "sms"]))
  }, ({ said, written }) =>
    Effect.sync(() => {
      const isWritten = new Set<string>(written)
      const routed = (instructions: Instructions) =>
        Result.mapError(
          Routing.plan(instructions, everywhere, configured, { isWritten: ({ channel }) => isWritten.has(channel) }),
          ({ detail }) => detail
        )
      const text = JSON.stringify(said, (_, value: unknown) => value === null ? undefined : value)
      const silent = Schema.decodeUnknownSync(Schema.fromJsonString(Instructions))(text)
      assert.deepStrictEqual(routed(said), routed(silent))
    }))

  it("a name in a routing is a channel's, or a provider's where that is in another channel", () => {
    const names = (name: string, ...all: ReadonlyArray<Vendor>) => {
      const profile = { email: "a@b.c", sms: "1", pager: "1" }
      return Result.match(Routing.plan(through(name), profile, all), {
        onFailure: ({ reason }) => reason,
        onSuccess: (plan) => candidates(plan).map(({ provider }) => provider)
      })
    }
    const [own, other] = [vendor("sms", "sms"), vendor("twilio", "sms")]
    assert.deepStrictEqual(names("sms", own, other), ["sms", "twilio"])
    assert.deepStrictEqual(names("sms", vendor("sms", "email"), other), ["sms"], "an alias that somebody has chosen")
    assert.deepStrictEqual(names("pager", other, vendor("beeper", "pager")), ["beeper"], "also one that is not ours")
  })

  it("a message that names no channel goes through them in the workspace's order", () => {
    assert.deepStrictEqual(providers({}), ["smtp", "ses", "twilio", "apn", "slack", "hook", "inbox"])
  })

  it("a channel gives way after 30 minutes and a provider after 5, if another one follows and not all are asked", () => {
    const timeouts = (instructions: Instructions) => {
      const children = branches(
        planned(instructions) ?? { _tag: "Branch", method: "all", channel: "", timeout: 0, children: [] }
      )
      return children.map((child) => [child.timeout, ...branches(child).map(({ timeout }) => timeout)])
    }
    assert.deepStrictEqual(timeouts(through("email", "sms")), [
      [30 * minute, 5 * minute, undefined],
      [undefined, undefined]
    ])
    const all: Instructions = {
      routing: { method: "all", channels: ["email", "sms"] },
      channels: { email: { routing_method: "all" } }
    }
    assert.deepStrictEqual(timeouts(all), [[undefined, undefined, undefined], [undefined, undefined]])
    const given = (instructions: Instructions) =>
      timeouts({ ...through("email", "sms"), ...instructions }).map(([whole]) => whole)
    assert.deepStrictEqual(given({ timeout: { channel: 1 } }), [1, 1])
    assert.deepStrictEqual(given({ timeout: { channel: { sms: 2 } } }), [30 * minute, 2])
    assert.deepStrictEqual(given({ timeout: { channel: 1 }, channels: { email: { timeout: 3 } } }), [3, 1])
    assert.deepStrictEqual(given({ channels: { email: { timeout: 3, timeouts: { channel: 4 } } } }), [4, undefined])
  })

  it("the method of an entry comes before its channel's, and each branch has its own", () => {
    const methodOf = (instructions: Instructions) =>
      branches(planned(instructions) ?? assert.fail("no plan")).map((child) => child._tag === "Branch" && child.method)
    const channels: Instructions["channels"] = { email: { routing_method: "all" } }
    assert.deepStrictEqual(methodOf({ ...through("email", "sms"), channels }), ["all", "single"])
    const entry: Instructions = {
      routing: {
        method: "all",
        channels: [{ channel: "email", method: "single" }, { method: "single", channels: ["sms"] }]
      },
      channels
    }
    assert.deepStrictEqual(methodOf(entry), ["single", "single"])
    assert.deepInclude(planned(entry), { method: "all" })
  })

  it("conditions of an entry, a channel and a provider see the data and the profile, and say so if nothing is left", () => {
    const profile = { ...everywhere, vip: "yes" }
    for (
      const [condition, holds] of [
        ["data.plan === \"pro\"", true],
        ["data.plan === \"free\"", false],
        ["profile.vip === \"yes\"", true],
        ["profile.vip === \"no\"", false],
        ["((", false]
      ] as const
    ) {
      const asked: ReadonlyArray<Instructions> = [
        { routing: { method: "single", channels: [{ channel: "email", if: condition }, "sms"] } },
        { ...through("email", "sms"), channels: { email: { if: condition } } },
        { ...through("email", "sms"), providers: { smtp: { if: condition }, ses: { if: condition } } }
      ]
      for (const instructions of asked) {
        const message = { ...instructions, data: { plan: "pro" } }
        assert.deepStrictEqual(providers(message, profile), holds ? ["smtp", "ses", "twilio"] : ["twilio"], condition)
      }
      const alone = { ...through("email"), data: { plan: "pro" }, channels: { email: { if: condition } } }
      assert.deepStrictEqual(refused(alone, profile), holds ? undefined : ["Filter", "FILTERED"])
    }
    assert.deepStrictEqual(refused({ ...through("sms"), channels: { sms: { if: "data.a === 1" } } }), [
      "Filter",
      "FILTERED"
    ])
  })

  it("its conditions may look through so much together, and be so long; the rest of them do not hold", () => {
    const data = { hay: "a".repeat(24_000), needle: "a".repeat(1_000) }
    const entry = (channel: string) => ({ channel, if: "data.hay.includes(data.needle)" })
    const routing = { method: "single", channels: [entry("email"), entry("sms"), "push"] } as const
    assert.deepStrictEqual(providers({ data, routing }), ["smtp", "ses", "apn"])
    const long = Array.from({ length: 680 }, () => "1==1").join("&&")
    const often = { method: "all", channels: Array.from({ length: 2_000 }, () => "sms") } as const
    const some = providers({ routing: often, channels: { sms: { if: long } } }).length
    assert.isTrue(some > 1_000 && some < 2_000, String(some))
  })

  it("an empty plan says whether an address, words or a provider is missing", () => {
    assert.deepStrictEqual(refused(through("email"), {}), ["Unroute", "NO_CHANNELS"])
    assert.deepStrictEqual(refused(through("email"), everywhere, false), ["Unroute", "NO_CHANNELS"])
    assert.deepStrictEqual(refused(through("banner")), ["Unroute", "NO_PROVIDERS"])
    const met = { ...through("email"), channels: { email: { if: "data.a === 1" } }, data: { a: 1 } }
    assert.deepStrictEqual(refused(met, {}), ["Unroute", "NO_CHANNELS"], "its condition is not what is wrong")
    for (const channel of ["email", "sms"]) {
      const gone = { ...through(channel), channels: { [channel]: { providers: ["gone"] } } }
      assert.deepStrictEqual(refused(gone), ["Unroute", "PROVIDER_ERROR"])
    }
    const nested: Instructions = { routing: { method: "single", channels: [{ method: "all", channels: ["banner"] }] } }
    assert.deepStrictEqual(refused(nested), ["Unroute", "NO_PROVIDERS"])
    const none: Instructions = { routing: { method: "single", channels: [{ method: "all", channels: [] }] } }
    for (const silent of [through(), none]) {
      assert.deepStrictEqual(refused(silent), ["Unroute", "NO_CHANNELS"], "it names none, whatever is installed")
    }
  })

  it("an address that no provider serves is not a missing one, whatever else the message may go through", () => {
    const [inbox, sms] = [vendor("inbox", "inbox"), vendor("twilio", "sms")]
    const refusal = (instructions: Instructions, profile: Profile) =>
      Result.match(Routing.plan(instructions, profile, [inbox, sms]), {
        onFailure: ({ detail, reason }) => [reason, detail],
        onSuccess: () => undefined
      })
    const unserved = ["NO_PROVIDERS", "No provider for email is configured"]
    for (const instructions of [{}, through("email", "inbox"), through("inbox", "email")]) {
      assert.deepStrictEqual(refusal(instructions, { email: "a@b.c" }), unserved)
    }
    const unaddressed = ["NO_CHANNELS", "The recipient has no address for any channel of the message"]
    assert.deepStrictEqual(refusal(through("inbox", "sms"), { email: "a@b.c" }), unaddressed, "it does not name email")
    assert.deepStrictEqual(refusal(through("inbox", "email"), { phone_number: "1" }), unaddressed)
    assert.deepStrictEqual(refusal(through("inbox", "constructor"), {}), unaddressed)
  })

  it("who can be reached where the content has nothing is told so, and not that there is no address", () => {
    const [slack, teams] = [vendor("slack", "direct_message"), vendor("msteams", "direct_message")]
    const among = [slack, { ...teams, reaches: () => false }]
    const refusal = (providers: typeof among, ...channels: ReadonlyArray<string>) =>
      Result.match(
        Routing.plan(through("direct_message", ...channels), everywhere, providers, { isWritten: () => false }),
        { onFailure: ({ detail }) => detail, onSuccess: () => undefined }
      )
    const nothing = "The content has nothing for any channel that the recipient has an address for"
    assert.strictEqual(refusal(among), nothing)
    assert.strictEqual(refusal([...among, vendor("smtp", "email")], "email"), nothing, "e-mail has its provider")
    assert.strictEqual(refusal([slack]), "The content has nothing for any channel of the message")
    const unreached = "The recipient has no address for any channel of the message"
    assert.strictEqual(refusal(among.slice(1)), unreached)
  })

  it("an address that is none is the recipient's fault: UNDELIVERABLE (spec.md), unless another channel has one", () => {
    const [mail, sms] = [{ ...vendor("smtp", "email"), reaches: () => false }, vendor("twilio", "phone_number")]
    const refusal = (instructions: Instructions, profile: Profile) =>
      Result.match(Routing.plan(instructions, profile, [mail, { ...sms, channel: "sms" }]), {
        onFailure: ({ detail, event, reason }) => [event, reason, detail],
        onSuccess: () => undefined
      })
    const invalid = ["Undeliver", "BOUNCED", "What the recipient has for email is no valid address"]
    for (const instructions of [{}, through("email"), through("push", "email"), through("email", "sms")]) {
      assert.deepStrictEqual(refusal(instructions, { email: "nonsense" }), invalid)
    }
    assert.isUndefined(refusal(through("email", "sms"), { email: "nonsense", phone_number: "+15550100000" }))
    for (const profile of [{}, { email: "" }, { email: null }]) {
      assert.strictEqual(refusal(through("email"), profile)?.[1], "NO_CHANNELS")
    }
  })

  it("what is over for the inbox goes through the other channels all the same", () => {
    const plan = Routing.plan(through("inbox", "email"), everywhere, configured, { isExpired: true })
    assert.deepStrictEqual(candidates(Result.getOrThrow(plan)).map(({ provider }) => provider), ["smtp", "ses"])
  })

  it("what an override says needs no words of the message's own, whoever has it", () => {
    const override = { body: {} }
    for (
      const instructions of [
        { routing: { method: "single", channels: [{ channel: "email", override }] } },
        { ...through("email"), channels: { email: { override } } },
        { ...through("email"), providers: { smtp: { override } } }
      ] satisfies ReadonlyArray<Instructions>
    ) assert.isUndefined(refused(instructions, everywhere, false))
    const own = planned({ routing: { method: "single", channels: [{ channel: "sms", override }, "push"] } })
    assert.deepStrictEqual(own === undefined ? [] : candidates(own).map(({ override }) => override), [
      override,
      undefined
    ])
    assert.deepStrictEqual(
      refused({ ...through("email"), channels: { email: { override: null } } }, everywhere, false),
      ["Unroute", "NO_CHANNELS"]
    )
  })
})
