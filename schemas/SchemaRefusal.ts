import { Array, Effect, SchemaIssue } from "effect"

/** Fails the decoding of a field, with these words for its caller. */
export const refuse = (message: string): Effect.Effect<never, SchemaIssue.Issue> =>
  Effect.fail(new SchemaIssue.InvalidValue({ message }))

const standard = SchemaIssue.makeFormatterStandardSchemaV1()
const longest = 1_000

/** The text, or its first 1,000 characters: what a refusal quotes may be as long as a request. */
export const cut = (text: string): string => text.length > longest ? `${text.slice(0, longest).toWellFormed()}…` : text

/** `message.to[0].user_id`, as a caller would write it. */
const shown = (path: ReadonlyArray<PropertyKey>): string =>
  path.reduce<string>(
    (text, key) => typeof key === "number" ? `${text}[${key}]` : text === "" ? String(key) : `${text}.${String(key)}`,
    ""
  )

const missing = "Missing key"

const inWords = (message: string): string =>
  message === missing
    ? "Required"
    : message
      .replace(/( \| (?:null|undefined))+$/, "")
      .replace(/^Expected a value with a length of at least 1$/, "Must not be empty")
      .replace(/^Expected a value with a length/, "Expected a length")

/**
 * Several reasons that name a type or a literal are alternatives, joined by "or". Other rules must all hold, and are
 * joined by "and".
 */
const alternative = /^Expected (?:string|number|boolean|array|object|null|")/

/** Joins all reasons of one field, with "Expected" only once. */
const joined = ([first = "", ...others]: ReadonlyArray<string>): string =>
  [first, ...others.map((other) => other.replace(/^Expected /, ""))]
    .join([first, ...others].some((reason) => alternative.test(reason)) ? " or " : " and ")

/** The field, and what is wrong with it. If a list is too short, the field is the list and not the missing entry. */
const refused = (path: ReadonlyArray<PropertyKey>, message: string): readonly [string, string] => {
  const last = path.at(-1)
  if (typeof last !== "number" || message !== missing) return [shown(path), inWords(message)]
  return [shown(path.slice(0, -1)), `Expected at least ${last + 1} ${last === 0 ? "entry" : "entries"}`]
}

const isMissing = (issue: SchemaIssue.Issue): boolean => issue._tag === "Pointer" && issue.issue._tag === "MissingKey"

/** Whether a value was meant for the one of so many alternatives that refuses it so: its type and its keys are there. */
const isMeant = (alternatives: number) => (issue: SchemaIssue.Issue): boolean =>
  issue._tag !== "InvalidType" && !(alternatives > 1 && issue._tag === "Composite" && issue.issues.some(isMissing))

/** Keeps, of the refusals of alternatives, those of the ones that the value was meant for. */
const meant = (issue: SchemaIssue.Issue): SchemaIssue.Issue => {
  switch (issue._tag) {
    case "Pointer":
      return new SchemaIssue.Pointer(issue.path, meant(issue.issue))
    case "Composite":
      return new SchemaIssue.Composite(issue.ast, Array.map(issue.issues, meant))
    case "AnyOf":
      return new SchemaIssue.AnyOf(issue.ast, issue.issues.filter(isMeant(issue.issues.length)).map(meant))
    default:
      return issue
  }
}

/**
 * One sentence that names each refused field by its path, below `root` if given; cut at 1,000 characters. It never
 * repeats values.
 */
export const sentence = (issue: SchemaIssue.Issue, root?: string): string => {
  const messages = new Map<string, Set<string>>()
  for (const { message, path } of standard(meant(issue)).issues) {
    const keys = (path ?? []).map((segment) => typeof segment === "object" ? segment.key : segment)
    const [named, reason] = refused(root === undefined ? keys : [root, ...keys], message)
    const field = named || "body"
    messages.set(field, (messages.get(field) ?? new Set()).add(reason))
  }
  return cut([...messages].map(([field, reasons]) => `${field}: ${joined([...reasons])}`).join("; "))
}
