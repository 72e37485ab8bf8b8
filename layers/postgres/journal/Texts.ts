/**
 * The long texts of a batch as two array parameters: row numbers, and the text of each. Arrays are sent in binary.
 * Inside the JSON of the rows, a rendered mail would be escaped and parsed a second time, which cost more than storing
 * it.
 */
export const of = <A>(
  batch: ReadonlyArray<A>,
  textOf: (item: A, n: number) => string | undefined
): readonly [numbers: ReadonlyArray<number>, texts: ReadonlyArray<string>] => {
  const numbers: Array<number> = []
  const texts: Array<string> = []
  batch.forEach((item, n) => {
    const text = textOf(item, n)
    if (text === undefined) return
    numbers.push(n)
    texts.push(text)
  })
  return [numbers, texts]
}

/** The two parameters as a relation of `n` and `text`; `parameter` is the number of the first. */
export const relation = (parameter: number): string =>
  `unnest($${parameter}::int[], $${parameter + 1}::text[]) as texts(n, text)`
