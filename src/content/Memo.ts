/**
 * Remembers what a pure function made of recent strings, at most `entries` of them and `characters` of input, twice over: a full generation
 * becomes the old one and is forgotten when the next is full. What is used stays.
 */
export const memo = <A>(
  limit: { readonly entries: number; readonly characters: number },
  make: (input: string) => A
): (input: string) => A => {
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

  return (input) => {
    const known = young.get(input)
    return known === undefined ? keep(input, old.get(input) ?? { made: make(input) }) : known.made
  }
}
