/**
 * Collects the parameters of a statement whose shape varies. `$` adds a value and answers its placeholder (`$1`, `$2`,
 * …), so that none is numbered by hand.
 */
export const make = () => {
  const values: Array<unknown> = []
  return { values, $: (value: unknown): string => `$${values.push(value)}` }
}
