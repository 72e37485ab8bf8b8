import { SchemaIssue } from "effect"

const standard = SchemaIssue.makeFormatterStandardSchemaV1()
const longest = 1_000

/** `message.to[0].user_id`, as a caller would write it. */
const shown = (path: ReadonlyArray<PropertyKey>): string =>
  path.reduce<string>(
    (text, key) => typeof key === "number" ? `${text}[${key}]` : text === "" ? String(key) : `${text}.${String(key)}`,
    ""
  )

const inWords = (message: string): string =>
  message === "Missing key" ? "Required" : message.replace(/( \| (?:null|undefined))+$/, "")

/** One sentence that names each refused field by its path, cut at 1,000 characters. Values are not repeated. */
export const sentence = (issue: SchemaIssue.Issue): string => {
  const messages = new Map<string, Set<string>>()
  for (const { message, path } of standard(issue).issues) {
    const field = shown((path ?? []).map((segment) => typeof segment === "object" ? segment.key : segment)) || "body"
    messages.set(field, (messages.get(field) ?? new Set()).add(inWords(message)))
  }
  const text = [...messages].map(([field, reasons]) => `${field}: ${[...reasons].join(" or ")}`).join("; ")
  return text.length > longest ? `${text.slice(0, longest)}…` : text
}
