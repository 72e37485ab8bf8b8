import { isObject } from "#schemas/Json.ts"
import { member } from "#src/content/Own.ts"
import { type Helper, text } from "#src/content/template/Helper.ts"

const at: Helper = ([path], _, around) => around.at(text(path, around))

export const data: Readonly<Record<string, Helper>> = {
  "default": ([value, otherwise]) => value ?? otherwise,
  "path": at,
  /**
   * The value at a path. If there is none, it is an empty text or an error (api.md 2.6), where the helper `path`
   * answers nothing.
   */
  "var": ([path], _, around) => {
    const value = around.at(text(path, around))
    if (value === undefined) around.missing(text(path, around))
    return value ?? ""
  },
  "set": ([name, value], _, around) => {
    around.set(text(name, around), value)
    return undefined
  },
  "params": (_, named) => Object.fromEntries([...named].map(([key, value]) => [key, value ?? null])),
  /** `text-block text="…"`, or an object of parameters that has `text`. */
  "text-block": ([of], named, around) => text(named.get("text") ?? (isObject(of) ? member(of, "text") : of), around)
}
