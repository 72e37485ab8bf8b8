/**
 * Caches what a pure function makes of strings, in two generations of at most `entries` strings and `characters` of
 * input each. When the young generation is full it becomes the old one, and the previous old one is dropped. What is
 * used moves to the young one. On a cache miss `make` is also given what the caller adds, and if it answers `undefined`,
 * that is not kept.
 */
export const memo = <A, More extends ReadonlyArray<unknown>>(
  limit: { readonly entries: number; readonly characters: number },
  make: (input: string, ...more: More) => A
): (input: string, ...more: More) => A => {
  let young = new Map<string, { readonly made: A }>()
  let old = new Map<string, { readonly made: A }>()
  let characters = 0

  const keep = (input: string, entry: { readonly made: A }): A => {
    if (input.length > limit.characters) return entry.made
    if (young.size >= limit.entries || characters + input.length > limit.characters) {
      old = young
      young = new Map()
      characters = 0
    }
    young.set(input, entry)
    characters += input.length
    return entry.made
  }

  return (input, ...more) => {
    const known = young.get(input)
    if (known !== undefined) return known.made
    const before = old.get(input)
    if (before !== undefined) return keep(input, before)
    const made = make(input, ...more)
    return made === undefined ? made : keep(input, { made })
  }
}
