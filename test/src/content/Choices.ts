import { Arbitrary, Schema } from "effect"

/** Numbers that a generator spends, one a decision; when they run out it takes its simplest way. */
export const Choices = Arbitrary.array(
  Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 9_999 }))),
  { maxLength: 150 }
)

export interface Chooser {
  readonly below: (count: number) => number
  readonly from: <A>(values: readonly [A, ...ReadonlyArray<A>]) => A
}

export const chooser = (choices: ReadonlyArray<number>): Chooser => {
  let next = 0
  const below = (count: number): number => (choices[next++] ?? 0) % count
  return { below, from: (values) => values[below(values.length)] ?? values[0] }
}
