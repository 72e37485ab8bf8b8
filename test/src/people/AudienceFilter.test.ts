import {
  type AudienceFilter,
  ComparisonOperator,
  type Condition,
  type Rule,
  type RuleDraft
} from "#schemas/Audience.ts"
import * as Filter from "#src/people/AudienceFilter.ts"
import * as AudienceRules from "#src/people/AudienceRules.ts"
import { assertQuick } from "#test/support/Quick.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"

const profile = {
  title: "Engineer",
  age: 42,
  big: "1e3",
  admin: true,
  off: false,
  none: null,
  empty: "",
  tags: ["red", "green", 7],
  address: { city: "Paris", geo: [1, { lat: "48" }] },
  born: "1983-05-01",
  seen: 1_700_000_000_000,
  seconds: 1_700_000_000,
  debt: -1,
  "__proto__x": 1
}
const subject: Filter.Subject = { profile, tenants: ["acme", "b/c"] }

const met = (operator: Condition["operator"], path: string, value?: string) =>
  Filter.matches({ filters: [value === undefined ? { operator, path } : { operator, path, value }] }, subject)

type Case = readonly [operator: Condition["operator"], path: string, value: string | undefined, expected: boolean]

const cases: ReadonlyArray<Case> = [
  ["EQ", "title", "Engineer", true],
  ["EQ", "title", "engineer", false],
  ["EQ", "age", "42", true],
  ["EQ", "admin", "true", true],
  ["EQ", "off", "false", true],
  ["EQ", "empty", "", true],
  ["EQ", "missing", "", false],
  ["EQ", "none", "null", false],
  ["EQ", "tags", "red", false],
  ["EQ", "tags.0", "red", true],
  ["EQ", "tags.01", "green", false],
  ["EQ", "address.city", "Paris", true],
  ["EQ", "address.geo.1.lat", "48", true],
  ["EQ", "address", "[object Object]", false],
  ["EQ", "constructor.name", "Object", false],
  ["EQ", "title.length", "8", false],
  ["NEQ", "title", "Poet", true],
  ["NEQ", "title", "Engineer", false],
  ["NEQ", "missing", "x", true],
  ["NEQ", "none", "null", true],
  ["GT", "age", "5", true],
  ["GT", "age", "42", false],
  ["GT", "age", "x", false],
  ["GT", "title", "Eng", true],
  ["GT", "big", "999", true],
  ["GT", "missing", "0", false],
  ["GT", "title", "5", false],
  ["GTE", "age", "42.0", true],
  ["LT", "age", "100", true],
  ["LT", "age", "42", false],
  ["LT", "age", "5x", false],
  ["LT", "age", "", false],
  ["LT", "debt", "", false],
  ["LT", "debt", " ", false],
  ["LT", "title", "Poet", true],
  ["LT", "title", "Artist", false],
  ["LT", "missing", "1", false],
  ["LTE", "age", "42", true],
  ["LTE", "title", "Engineer", true],
  ["LTE", "age", "41.9", false],
  ["EXISTS", "title", undefined, true],
  ["EXISTS", "empty", undefined, true],
  ["EXISTS", "off", undefined, true],
  ["EXISTS", "address.city", undefined, true],
  ["EXISTS", "none", undefined, false],
  ["EXISTS", "toString", undefined, false],
  ["OMIT", "missing", undefined, true],
  ["OMIT", "none", undefined, true],
  ["OMIT", "title", undefined, false],
  ["INCLUDES", "tags", "red", true],
  ["INCLUDES", "tags", "re", false],
  ["INCLUDES", "tags", "7", true],
  ["INCLUDES", "title", "gine", true],
  ["INCLUDES", "title", "Gine", false],
  ["INCLUDES", "address", "Paris", false],
  ["INCLUDES", "missing", "", false],
  ["STARTS_WITH", "title", "Eng", true],
  ["STARTS_WITH", "title", "eer", false],
  ["STARTS_WITH", "age", "4", true],
  ["ENDS_WITH", "title", "eer", true],
  ["ENDS_WITH", "title", "Eng", false],
  ["IS_BEFORE", "born", "1990-01-01", true],
  ["IS_BEFORE", "born", "1983-05-01T00:00:00+02:00", false],
  ["IS_AFTER", "born", "1983-05-01T00:00:00+02:00", true],
  ["IS_AFTER", "born", "1983-05-01", false],
  ["IS_AFTER", "seen", "2023-11-14", true],
  ["IS_AFTER", "seen", "1699999999999", true],
  ["IS_AFTER", "seen", "1700000000000", false],
  ["IS_BEFORE", "seen", "1700000000000", false],
  ["IS_BEFORE", "seen", "1700000000001", true],
  ["IS_AFTER", "seconds", "2023-11-14", true],
  ["IS_BEFORE", "seconds", "1700000000001", true],
  ["IS_BEFORE", "title", "1990-01-01", false],
  ["IS_AFTER", "born", "soon", false],
  ["IS_BEFORE", "missing", "1990-01-01", false],
  ["MEMBER_OF", "account_id", "acme", true],
  ["MEMBER_OF", "account_id", "b/c", true],
  ["MEMBER_OF", "account_id", "other", false]
]

const yes: Rule = { operator: "EXISTS", path: "title" }
const no: Rule = { operator: "OMIT", path: "title" }

const parsed = (draft: RuleDraft, beside?: "AND" | "OR") => AudienceRules.parse(draft, beside)

const Text = Schema.String.check(Schema.isMaxLength(12), Schema.isPattern(/^[^\u0000\ud800-\udfff]*$/u))

describe("Audience filters", () => {
  it.effect.each(cases)(
    "%s %s %s is %s",
    ([operator, path, value, expected]) => Effect.sync(() => assert.strictEqual(met(operator, path, value), expected))
  )

  it.effect.prop("NEQ is never EQ, OMIT never EXISTS, and order is one of three", {
    path: Schema.Literals(["title", "age", "missing", "none", "big", "tags", "address.city"]),
    value: Text
  }, ({ path, value }) =>
    Effect.sync(() => {
      assert.notStrictEqual(met("EQ", path, value), met("NEQ", path, value))
      assert.notStrictEqual(met("EXISTS", path), met("OMIT", path))
      assert.isFalse(met("GTE", path, value) && met("LT", path, value))
      assert.isFalse(met("GT", path, value) && met("LTE", path, value))
    }))

  it.effect.prop("any profile and any condition have an answer and a reason", {
    profile: Schema.Record(Schema.String, Schema.Json),
    operator: ComparisonOperator,
    path: Text,
    value: Text
  }, ({ operator, path, profile, value }) =>
    Effect.sync(() => {
      const filter = { filters: [{ operator, path, value }] }
      const is = Filter.matches(filter, { profile, tenants: [] })
      assert.isTrue(Filter.reason(filter, { profile, tenants: [] }).endsWith(`=> ${is}`))
    }))

  it.effect("AND needs every rule, OR one, and none of them is met without rules", () =>
    Effect.sync(() => {
      const is = (operator: "AND" | "OR", ...filters: ReadonlyArray<Rule>) =>
        Filter.matches({ operator, filters }, subject)
      assert.deepStrictEqual(
        [is("AND", yes, yes), is("AND", yes, no), is("OR", no, yes), is("OR", no, no)],
        [true, false, true, false]
      )
      assert.deepStrictEqual([is("AND"), is("OR"), is("OR", { operator: "AND", filters: [] })], [false, false, false])
      assert.isTrue(is("AND", yes, { operator: "AND", filters: [yes] }))
      assert.isTrue(is("AND", yes, { operator: "OR", filters: [no, { operator: "AND", filters: [yes, yes] }] }))
    }))

  it.effect("tells why", () =>
    Effect.sync(() => {
      const title: Rule = { operator: "EQ", path: "title", value: "Engineer" }
      assert.strictEqual(Filter.reason({ filters: [title] }, subject), "EQ('title', 'Engineer') => true")
      assert.strictEqual(
        Filter.reason({ operator: "OR", filters: [title, no] }, subject),
        "OR(EQ('title', 'Engineer') => true, OMIT('title') => false) => true"
      )
      assert.strictEqual(
        Filter.reason({ filters: [{ ...title, value: "O'Hara" }] }, subject),
        "EQ('title', 'O\\'Hara') => false"
      )
    }))

  it.effect.prop("however much there is to tell, it is short, and text that a database stores", {
    odd: Schema.Literals(["", "x"]),
    times: Schema.Int.check(Schema.isBetween({ minimum: 400, maximum: 600 }))
  }, ({ odd, times }) =>
    Effect.sync(() => {
      const value = odd + "\u{1f984}".repeat(times)
      const told = Filter.reason({
        operator: "OR",
        filters: [{ operator: "EQ", path: "title", value }, { operator: "EQ", path: "title", value }]
      }, subject)
      assert.isAtMost(told.length, 1_001)
      assert.isTrue(told.startsWith("OR(EQ("))
      assert.isTrue(told.isWellFormed())
    }))
})

describe("Rules of an audience", () => {
  const one = { operator: "EQ" as const, path: "title", value: "x" }

  it.effect("one condition alone, as older clients send it, is a filter of one", () =>
    Effect.sync(() => assert.deepStrictEqual(parsed(one), Result.succeed({ filters: [one] }))))

  it.effect("the operator may stand in the filter or beside it, and the filter's own counts", () =>
    Effect.sync(() => {
      const filters = [one, { operator: "OR" as const, filters: [one] }]
      assert.deepStrictEqual(parsed({ filters }, "OR"), Result.succeed({ operator: "OR", filters }))
      assert.deepStrictEqual(parsed({ operator: "AND", filters }, "OR"), Result.succeed({ operator: "AND", filters }))
    }))

  it.effect("numbers and booleans become text, and EXISTS and OMIT lose their value", () =>
    Effect.sync(() =>
      assert.deepStrictEqual(
        parsed({
          operator: "AND",
          filters: [{ ...one, value: 7 }, { ...one, value: false }, { ...one, operator: "EXISTS" }]
        }),
        Result.succeed({
          operator: "AND",
          filters: [{ ...one, value: "7" }, { ...one, value: "false" }, { operator: "EXISTS", path: "title" }]
        })
      )
    ))

  it.effect.each<RuleDraft>([
    { filters: [{ ...one, path: "x".repeat(1_000), value: "x".repeat(1_000) }] },
    { operator: "OR", filters: Array.from({ length: 500 }, () => one) },
    { operator: null, filters: [one] },
    { filters: [{ operator: "MEMBER_OF", path: "account_id", value: "acme" }] },
    { filters: [{ operator: "OMIT", path: "title" }] },
    { filters: [{ operator: "EXISTS", path: "title", value: null }] }
  ])("%j is a filter", (draft) => Effect.sync(() => assert.isTrue(Result.isSuccess(parsed(draft)))))

  const refused: ReadonlyArray<readonly [RuleDraft, string]> = [
    [{}, "filter.filters"],
    [{ operator: "AND" }, "filter.filters"],
    [{ filters: [one, one] }, "filter.operator"],
    [{ operator: "EQ", filters: [one] }, "filter.operator"],
    [{ filters: [{ ...one, operator: null }] }, "filter.filters[0].operator"],
    [{ filters: [{ path: "title", value: "x" }] }, "filter.filters[0].operator"],
    [{ filters: [{ operator: "EQ", value: "x" }] }, "filter.filters[0].path"],
    [{ filters: [{ ...one, path: null }] }, "filter.filters[0].path"],
    [{ operator: "EQ", path: null }, "filter.filters"],
    [{ filters: [{ operator: "OR", filters: null }] }, "filter.filters[0].filters"],
    [{ operator: "AND", filters: null }, "filter.filters"],
    [{ filters: [{ operator: "OR" }] }, "filter.filters[0].filters"],
    [{ filters: [{ operator: "OR", filters: [{ ...one, path: "" }] }] }, "filter.filters[0].filters[0].path"],
    [{ filters: [{ ...one, value: null }] }, "filter.filters[0].value"],
    [{ filters: [{ operator: "EQ", path: "title" }] }, "filter.filters[0].value"],
    [{ filters: [{ ...one, operator: "MEMBER_OF" }] }, "filter.filters[0].path"],
    [{ filters: [{ ...one, value: "\u0000" }] }, "filter.filters[0]"],
    [{ filters: [{ ...one, path: "\ud800" }] }, "filter.filters[0]"],
    [{ filters: [{ ...one, value: "x".repeat(1_001) }] }, "filter.filters[0]"],
    [{ filters: [{ ...one, path: "x".repeat(1_001) }] }, "filter.filters[0]"],
    [{ operator: "OR", filters: Array.from({ length: 501 }, () => one) }, "filter.filters"],
    [{ filters: [{ operator: "OR", filters: Array.from({ length: 500 }, () => one) }] }, "filter.filters"]
  ]
  it.effect.each(refused)("%j is refused at %s", ([draft, path]) =>
    Effect.sync(() => {
      const result = parsed(draft)
      assert.isTrue(Result.isFailure(result) && result.failure.detail.startsWith(`${path}: `))
    }))

  it.effect(
    "what hundreds of rules look through of a profile of megabytes is bounded; who has more is no member",
    () => {
      const text = "a".repeat(2_000_000)
      const list = Array.from({ length: 150_000 }, (_, n) => n + 0.5)
      const wide = { profile: { text, list, digits: "9".repeat(2_000_000) }, tenants: [] }
      const rules = (operator: Condition["operator"], path: string, value: string, count: number): AudienceFilter => ({
        operator: "OR",
        filters: Array.from({ length: count }, (_, n) => ({ operator, path, value: `${value}${n}` }))
      })
      const isQuick = (filter: AudienceFilter) =>
        assertQuick(1_000, Effect.sync(() => [Filter.matches(filter, wide), Filter.reason(filter, wide)] as const))
      return Effect.gen(function*() {
        for (const [operator, path] of [["INCLUDES", "text"], ["INCLUDES", "list"], ["GT", "digits"]] as const) {
          const [isMember, why] = yield* isQuick(rules(operator, path, path === "text" ? "ab" : "a", 500))
          assert.isFalse(isMember, operator)
          assert.match(why, /…$/, operator)
        }
        const last = rules("INCLUDES", "text", "ab", 500).filters
        const found = { operator: "OR", filters: [...last, { operator: "EQ", path: "text", value: text }] } as const
        assert.isFalse((yield* isQuick(found))[0], "a rule behind them is not asked")
        const [isMember, why] = yield* isQuick(rules("STARTS_WITH", "text", "", 500))
        assert.isFalse(isMember)
        assert.match(why, /^OR\(STARTS_WITH\('text', '0'\) => false, /)
        assert.isTrue((yield* isQuick({ filters: [{ operator: "INCLUDES", path: "text", value: "aaa" }] }))[0])
      })
    },
    240_000
  )
})
