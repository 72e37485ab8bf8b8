/** The parameters of a statement of several shapes: each has its name from where it is given, and none is counted by hand. */
export const make = () => {
  const values: Array<unknown> = []
  return { values, $: (value: unknown): string => `$${values.push(value)}` }
}
