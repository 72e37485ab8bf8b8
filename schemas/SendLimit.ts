import { Reference } from "#schemas/Id.ts"
import { optional } from "#schemas/Optional.ts"
import * as Text from "#schemas/Text.ts"
import { Schema } from "effect"

/**
 * Whose messages a send limit counts together (api.md 26.7): all of the environment, those to one recipient, of one
 * topic, of one topic to one recipient, or in one tenant.
 */
export const LimitedBy = Schema.Literals(["global", "user", "topic", "user_topic", "tenant"])
  .annotate({ title: "SendLimitedBy" })
export type LimitedBy = typeof LimitedBy.Type

/** A stretch of the calendar in UTC; a week begins on Sunday (api.md 26.7). */
export const LimitPeriod = Schema.Literals(["hour", "day", "week", "month"]).annotate({ title: "SendLimitPeriod" })
export type LimitPeriod = typeof LimitPeriod.Type

/** What a limit is known by: `user/day`. */
export const LimitPath = Schema.TemplateLiteral([LimitedBy, "/", LimitPeriod])
export type LimitPath = typeof LimitPath.Type

/** Messages; of as many nobody loses count. */
const Most = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000_000_000 }))

/** So many overrides and excluded topics a limit may have: all of them are read with the messages that they may concern. */
const mostNamed = 1_000

/** By ids of any shape. A check of the key itself would leave out the others without a word. */
const Overrides = Schema.Record(Schema.String, Most).check(
  Schema.makeFilter((overrides) => Object.keys(overrides).every(Text.isStorable) ? undefined : Text.unstorable)
)

/** What a limit says besides the shapes of its fields. */
const sound = Schema.makeFilter(({ excluded_topics: topics, limit, overrides }: {
  readonly limit?: number | null | undefined
  readonly overrides?: Readonly<Record<string, number>> | null | undefined
  readonly excluded_topics?: ReadonlyArray<string> | null | undefined
}) => {
  const own = Object.keys(overrides ?? {}).length
  if (own > mostNamed || (topics ?? []).length > mostNamed)
    return `Expected at most ${mostNamed} overrides and as many excluded topics`
  return own === 0 && (limit === undefined || limit === null) ? "Expected a limit, or overrides" : undefined
})

/**
 * How many messages may be sent in each period. `overrides` are limits of their own, by the id of the user, topic or
 * tenant: for each of them instead of `limit`, without which nobody else is limited. Messages of `excluded_topics` count,
 * and are sent all the same.
 */
export const SendLimit = Schema.Struct({
  limit: optional(Most),
  overrides: optional(Overrides),
  excluded_topics: optional(Schema.Array(Reference))
}).check(sound).annotate({ title: "SendLimit" })
export type SendLimit = typeof SendLimit.Type

/** What is wrong with a limit per this, in words: all of an environment are nobody's own, so that nothing could override it. */
export const faultOf = (per: LimitedBy, { overrides }: SendLimit): string | undefined =>
  per === "global" && Object.keys(overrides ?? {}).length > 0 ? "overrides: a global limit has none" : undefined
