import { isList, isObject } from "#schemas/Json.ts"
import { member } from "#src/content/Own.ts"
import { type Helper, text } from "#src/content/template/Helper.ts"

/** The cost of a list's item, compared to looking at one character. */
const costOfItem = 8

const at: Helper = ([path], _, around) => around.at(text(path, around))

/**
 * The value at a path. If there is none, it is an empty text or an error (api.md 2.6), where the helper `path` answers
 * nothing.
 */
const said: Helper = ([path], _, around) => {
  const value = around.at(text(path, around))
  if (value === undefined) around.missing(text(path, around))
  return value ?? ""
}

/** `var` as an output: it separates a list's items by commas and spaces. */
export const written: Helper = (words, named, around) => {
  const value = said(words, named, around)
  return isList(value) && around.budget.look(value.length * costOfItem)
    ? value.map((item) => text(item, around)).join(", ")
    : value
}

export const data: Readonly<Record<string, Helper>> = {
  "default": ([value, otherwise]) => value ?? otherwise,
  "path": at,
  "var": said,
  "set": ([name, value], _, around) => {
    around.set(text(name, around), value)
    return undefined
  },
  /** Says nothing: there is no log that a template could write to. */
  "log": () => undefined,
  "params": (_, named) => Object.fromEntries([...named].map(([key, value]) => [key, value ?? null])),
  /** `text-block text="…"`, or an object of parameters that has `text`. */
  "text-block": ([of], named, around) => text(named.get("text") ?? (isObject(of) ? member(of, "text") : of), around)
}
