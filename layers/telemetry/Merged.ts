/** The name of a family that a comment line opens, and the family's name of a sample. */
const opened = /^# (?:HELP|TYPE) (\S+) /

/** The Prometheus texts of several processes as one: each family once, with the samples of all. They must tell themselves apart by a label. */
export const merged = (texts: ReadonlyArray<string>): string => {
  const families = new Map<string, { readonly head: Array<string>; readonly samples: Array<string> }>()
  for (const text of texts) {
    const known = new Set(families.keys())
    let current: string | undefined
    for (const line of text.split("\n")) {
      if (line === "") continue
      const name = opened.exec(line)?.[1]
      if (name !== undefined) current = name
      if (current === undefined) continue
      const family = families.get(current) ?? { head: [], samples: [] }
      families.set(current, family)
      if (name === undefined) family.samples.push(line)
      else if (!known.has(name)) family.head.push(line)
    }
  }
  return [...families.values()].flatMap(({ head, samples }) => [...head, ...samples]).map((line) => `${line}\n`).join(
    ""
  )
}
