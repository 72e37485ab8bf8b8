/**
 * The long texts of a batch as two array parameters, each beside the number of its row. Arrays go over in binary: inside the JSON of the rows
 * a rendered mail would be written, escaped and parsed once more, which cost more than storing it.
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

/** The relation of two such parameters, the first at `parameter`: `n` and `text`. */
export const relation = (parameter: number): string =>
  `unnest($${parameter}::int[], $${parameter + 1}::text[]) as texts(n, text)`
