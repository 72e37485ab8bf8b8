import type { Instructions } from "#schemas/SendMessage.ts"
import { candidates } from "#src/delivery/attempts/Plan.ts"
import type { Vendor } from "#src/delivery/Provider.ts"
import * as Routing from "#src/delivery/Routing.ts"
import { assertQuick } from "#test/support/Quick.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"

const vendor = (key: string, names: ReadonlyArray<string> = []): Vendor => ({
  _tag: "Vendor",
  key,
  names,
  channel: "email",
  reaches: () => true,
  send: () => Effect.succeed({ reference: undefined })
})

const configured = [
  vendor("sendgrid", ["us", "pc_1", "sendgrid"]),
  vendor("eu", ["eu", "pc_2", "sendgrid"]),
  vendor("smtp", ["pc_3", "pc_3", "smtp"])
]

const routed = (instructions: Instructions) =>
  Result.getOrElse(Result.map(Routing.plan(instructions, {}, configured), candidates), () => [])

const email = (...providers: ReadonlyArray<string>) =>
  routed({ routing: { method: "single", channels: ["email"] }, channels: { email: { providers } } }).map((
    { provider }
  ) => provider)

describe("Routing to configurations by their names", () => {
  it("an alias or an id is one configuration, a vendor's key all of that vendor, and none comes twice", () => {
    assert.deepStrictEqual(email("us", "smtp"), ["sendgrid", "smtp"])
    assert.deepStrictEqual(email("pc_2", "pc_3"), ["eu", "smtp"])
    assert.deepStrictEqual(email("sendgrid"), ["sendgrid", "eu"])
    assert.deepStrictEqual(email("eu", "sendgrid", "us"), ["eu", "sendgrid"])
    assert.deepStrictEqual(email("nobody", "smtp"), ["smtp"])
  })

  it("a map of providers in an entry names them in its order, each with what it says; an empty one says nothing", () => {
    const override = { body: { a: 1 } }
    const entry = (providers: object) =>
      routed({ routing: { method: "single", channels: [{ channel: "email", ...providers }] } })
    const plan = entry({
      providers: { smtp: { override }, us: { if: "data.x" }, eu: { timeouts: 0, timeout: 3 }, nobody: {} }
    })
    assert.deepStrictEqual(plan.map(({ override, provider, timeout }) => [provider, timeout, override]), [
      ["smtp", 300_000, override],
      ["eu", 3, undefined]
    ])
    const all = ["sendgrid", "eu", "smtp"]
    assert.deepStrictEqual(entry({ providers: {} }).map(({ provider }) => provider), all)
    assert.deepStrictEqual(entry({ providers: [] }), [])
  })

  it("an alias stands in a routing as a provider's key does", () => {
    const plan = routed({ routing: { method: "single", channels: ["eu", { provider: "pc_1" }] } })
    assert.deepStrictEqual(plan.map(({ provider }) => provider), ["eu", "sendgrid"])
  })

  it("a provider's entry may say `name`, as older clients have it", () => {
    const channels = [{ name: "eu", if: "data.x" }, { name: "smtp" }, { name: "us", if: null }]
    const plan = routed({ routing: { method: "single", channels } })
    assert.deepStrictEqual(plan.map(({ provider }) => provider), ["smtp", "sendgrid"])
  })

  it("settings by alias come before those by the vendor's key", () => {
    const plan = routed({
      routing: { method: "single", channels: ["email"] },
      providers: { sendgrid: { timeout: 1 }, eu: { timeout: 2 } }
    })
    assert.deepStrictEqual(plan.map(({ provider, timeout }) => [provider, timeout]).slice(0, 2), [["sendgrid", 1], [
      "eu",
      2
    ]])
  })

  it("a timeout of 0 is left out: the next one that is set counts", () => {
    const [first] = routed({
      routing: { method: "single", channels: ["email"] },
      providers: { us: { timeouts: 0, timeout: 0 } },
      channels: { email: { timeouts: { provider: 7 } } }
    })
    assert.strictEqual(first?.timeout, 7)
  })

  it("a message's own timeouts are by any of a provider's names, too", () => {
    const plan = routed({
      routing: { method: "single", channels: ["email"] },
      timeout: { provider: { us: 1, pc_2: 2, smtp: 3 } }
    })
    assert.deepStrictEqual(plan.map(({ timeout }) => timeout), [1, 2, 3])
  })

  it("a webhook that the routing names has the data to say, one that it does not needs words", () => {
    const hook: Vendor = { ...vendor("webhook"), channel: "webhook" }
    const planned = (instructions: Instructions) =>
      Result.map(Routing.plan(instructions, {}, [hook], { isWritten: () => false }), candidates)
    const named = planned({ routing: { method: "single", channels: ["webhook"] } })
    assert.deepStrictEqual(Result.getOrThrow(named).map(({ channel }) => channel), ["webhook"])
    assert.isTrue(Result.isFailure(planned({})))
  })

  it("what an entry of the routing says of itself comes before what the message says of its channel and provider", () => {
    const entries: NonNullable<Instructions["routing"]> = {
      method: "single",
      channels: [
        { channel: "email", method: "all", providers: ["eu", "us"] },
        { provider: "smtp", timeouts: 3, override: { subject: "here" } }
      ]
    }
    const given: Instructions = {
      routing: entries,
      channels: { email: { routing_method: "single" } },
      providers: { smtp: { timeouts: 9, override: { subject: "there" } } }
    }
    const plan = Result.getOrThrow(Routing.plan(given, {}, configured))
    assert.deepStrictEqual(
      plan._tag === "Branch" && plan.children.map((child) => child._tag === "Branch" && child.method),
      [
        "all",
        "single"
      ]
    )
    assert.deepStrictEqual(routed(given).map(({ override, provider, timeout }) => [provider, timeout, override]), [
      ["eu", undefined, undefined],
      ["sendgrid", undefined, undefined],
      ["smtp", 3, { subject: "here" }]
    ])
    // What it overrides is something to say.
    const silent = Routing.plan({ routing: entries }, {}, configured, { isWritten: () => false })
    assert.deepStrictEqual(
      Result.map(silent, (found) => candidates(found).map(({ provider }) => provider)),
      Result.succeed(["smtp"])
    )
  })

  it.effect(
    "how much of what it overrides a message merges is bounded, for all entries of its routing together",
    () => {
      const wide = (size: number) => ({
        override: { body: Object.fromEntries(Array.from({ length: size }, (_, n) => [`k${n}`, n])) }
      })
      const planned = (size: number, entries: number, order?: ReadonlyArray<string>) =>
        assertQuick(
          2_000,
          Effect.sync(() =>
            Result.match(
              Routing.plan(
                {
                  routing: { method: "all", channels: Array.from({ length: entries }, () => "email") },
                  channels: { email: { ...wide(size), providers: order } },
                  providers: { us: wide(size), pc_1: wide(size), sendgrid: wide(size) }
                },
                {},
                configured,
                { isWritten: () => false }
              ),
              { onFailure: ({ detail }) => detail, onSuccess: () => "planned" }
            )
          )
        )
      return Effect.gen(function*() {
        assert.strictEqual(yield* planned(10_000, 1), "planned")
        assert.match(yield* planned(10_000, 100), /overrides too much/)
        assert.match(yield* planned(0, 100, Array.from({ length: 150_000 }, () => "us")), /overrides too much/)
      })
    },
    120_000
  )

  it("whom a provider reaches, and what the content has for it, is asked once, whatever the number of entries", () => {
    const asked: Array<string> = []
    const note = (what: string) => (asked.push(what), true)
    const [first, second] = ["one", "two"].map((key): Vendor => ({
      ...vendor(key),
      reaches: () => note(`${key} reaches`)
    }))
    if (first === undefined || second === undefined) return assert.fail()
    const channels = [...Array.from({ length: 50 }, () => "email"), ...Array.from({ length: 50 }, () => "one")]
    const plan = Routing.plan(
      { routing: { method: "all", channels } },
      {},
      [first, second],
      { isWritten: ({ key }) => note(`${key} written`) }
    )
    assert.lengthOf(candidates(Result.getOrThrow(plan)), 150)
    assert.deepStrictEqual(asked.toSorted(), ["one reaches", "one written", "two reaches", "two written"])
  })

  it("a condition that is none leaves its channel out, and the refusal says what is wrong with it", () => {
    const detail = (condition: string) =>
      Result.match(
        Routing.plan(
          { routing: { method: "single", channels: ["email"] }, channels: { email: { if: condition } } },
          {},
          configured
        ),
        {
          onFailure: ({ detail, event }) => `${event}: ${detail}`,
          onSuccess: () => undefined
        }
      )
    // An editor leaves an empty text where a condition was deleted.
    assert.isUndefined(detail(""))
    assert.strictEqual(detail("false"), "Filter: A condition of the message left no channel")
    assert.match(
      detail("data.x ===") ?? "",
      /^Filter: A condition of the message left no channel: Invalid condition at character \d+: /
    )
  })

  it("a routing that names only providers that are not installed says so; a channel without any is another matter", () => {
    const reason = (...channels: ReadonlyArray<string>) =>
      Result.match(Routing.plan({ routing: { method: "single", channels } }, {}, configured), {
        onFailure: ({ reason }) => reason,
        onSuccess: () => undefined
      })
    assert.strictEqual(reason("mailgun"), "PROVIDER_ERROR")
    assert.strictEqual(reason("mailgun", "onesignal"), "PROVIDER_ERROR")
    for (const channel of ["sms", "push", "direct_message", "webhook", "inbox", "banner"])
      assert.strictEqual(reason(channel), "NO_PROVIDERS", channel)
    assert.isUndefined(reason("mailgun", "email"))
  })

  it("a timeout of 0 says nothing, and the next that says something holds", () => {
    const said = (instructions: Instructions) =>
      routed({ routing: { method: "single", channels: ["email"] }, ...instructions }).map(({ timeout }) => timeout)
    const minutes = 5 * 60_000
    assert.deepStrictEqual(said({}), [minutes, minutes, undefined])
    const zeros: Instructions = {
      channels: { email: { timeout: 0, timeouts: { channel: 0, provider: 0 } } },
      providers: { eu: { timeout: 0, timeouts: 0 } },
      timeout: { message: 0, channel: { email: 0 }, provider: 0 }
    }
    assert.deepStrictEqual(said(zeros), said({}))
    assert.deepStrictEqual(said({ ...zeros, timeout: { provider: { eu: 7 } } }), [minutes, 7, undefined])
  })
})
