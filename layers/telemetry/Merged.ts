/** The family (metric) name in a `# HELP` or `# TYPE` line. */
const opened = /^# (?:HELP|TYPE) (\S+) /

/** Adds a label to every sample in the text of one process. */
const labelled = (text: string, label: string): string =>
  text.replaceAll(
    /^([a-zA-Z_:][\w:]*)(\{?)/gm,
    (_, name: string, brace: string) => brace === "" ? `${name}{${label}}` : `${name}{${label},`
  )

/**
 * Merges the Prometheus texts of a server and its workers: each family once, with the samples of all. A worker's
 * samples are labelled with its number.
 */
export const merged = (server: string, workers: ReadonlyArray<string>): string => {
  const texts = [server, ...workers.map((text, index) => labelled(text, `worker="${index + 1}"`))]
  const families = new Map<string, Array<string>>()
  for (const text of texts) {
    const known = new Set(families.keys())
    let current = ""
    for (const line of text.split("\n")) {
      if (line === "") continue
      const name = opened.exec(line)?.[1]
      if (name !== undefined) current = name
      const family = families.get(current) ?? []
      families.set(current, family)
      if (name === undefined || !known.has(name)) family.push(`${line}\n`)
    }
  }
  return [...families.values()].flat().join("")
}
