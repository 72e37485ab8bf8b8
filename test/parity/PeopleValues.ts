import type { AudienceFilter } from "#schemas/Audience.ts"
import { ListId } from "#schemas/List.ts"
import type { PatchOperation } from "#schemas/PatchOperation.ts"
import type { RecipientPreferences, TopicSetting } from "#schemas/Preferences.ts"
import { type Profile, UserId } from "#schemas/Profile.ts"
import { ids, type Command } from "#test/parity/Both.ts"
import type { Chooser } from "#test/src/content/Choices.ts"
import type { Schema } from "effect"

export const lists = ["a", "A", "a.b", "a.B", "a.b.c", "é", "e\u0301", "a-b", "a_b", "a.\uffee", "a.\u{1f984}", "a%"]
  .map((
    id
  ) => ListId.make(id))
export const patterns = ["a", "a.*", "*.b", "a.**", "a.b.*", "é", "a_b", "a%", "a.*.c"] as const
const values = ["x", "X", "", "a\u0000b", "\ud800", null, 1, 1e21, -0, [], ["x", { y: null }], {}, {
  "": "e",
  "é": 2,
  "__proto__": 1
}] as const
export const maybe = <A>({ below }: Chooser, value: () => A): A | undefined => below(2) === 0 ? undefined : value()
export const someOf = <A>(choose: Chooser, one: () => A): ReadonlyArray<A> =>
  Array.from({ length: choose.below(4) }, one)
export const user = ({ from }: Chooser) =>
  UserId.make(from(["a", "A", "b", "a b", "é", "e\u0301", "\uffee", "\u{1f984}"]))
export const json = ({ from }: Chooser) =>
  from(values as unknown as readonly [Schema.Json, ...ReadonlyArray<Schema.Json>])
export const map = (choose: Chooser): Profile =>
  Object.fromEntries(
    someOf(choose, () => [choose.from(["a", "b", "é", "", "title", "a\u0000", "\ud800"]), json(choose)])
  )
export const preferences = (choose: Chooser): RecipientPreferences | undefined =>
  maybe(choose, () => ({
    notifications: choose.from([undefined, null, {}, { n: { status: "OPTED_OUT" as const } }, { "a\u0000": {} }, {
      "\ud800": {}
    }]),
    categories: choose.from([undefined, null, { c: { status: null, rules: [{ type: "snooze", until: "x" }] } }])
  }))
export const setting = ({ from }: Chooser): TopicSetting => ({
  status: from(["OPTED_IN", "OPTED_OUT", "REQUIRED"]),
  has_custom_routing: from([undefined, null, true, false]),
  custom_routing: from([undefined, null, [], ["email"]])
})
export const patch = (choose: Chooser): ReadonlyArray<PatchOperation> => {
  const path = () =>
    choose.from(["/a", "a", "/b", "/é", "/", "", "/a/0", "/a/-", "/notifications/n", "/notifications", "/a~0b"])
  return someOf(choose, () =>
    choose.from<() => PatchOperation>([
      () => ({ op: choose.from(["add", "replace", "test"]), path: path(), value: json(choose) }),
      () => ({ op: "remove", path: path() }),
      () => ({ op: choose.from(["move", "copy"]), from: path(), path: path() })
    ])())
}
export const filter = (choose: Chooser): AudienceFilter | undefined =>
  maybe(choose, () => ({
    operator: choose.from(["AND", "OR"]),
    filters: someOf(choose, () => ({
      operator: choose.from(["EQ", "NEQ", "EXISTS", "OMIT", "MEMBER_OF", "STARTS_WITH", "GT", "INCLUDES"]),
      path: choose.from(["a", "b", "title", "account_id", "é"]),
      value: choose.from(["x", "X", "a", "A", "é", "", "1"])
    }))
  }))
export const page = (choose: Chooser) => choose.from([1, 2, 3, 100])

/** A few ids, others in every world. */
export const idsOf = (scope: number) => {
  const own = Array.from({ length: 7 }, (_, n) => ids[(scope * 3 + n * 11) % ids.length] ?? "a")
  return ({ below }: Chooser) => own[below(own.length)] ?? "a"
}

export const say = (said: unknown, run: Command["run"]): Command => ({ said, run })
