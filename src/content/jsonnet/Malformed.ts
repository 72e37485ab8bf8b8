import { RenderFailed } from "#src/content/RenderFailed.ts"

/** The place of an offset in a program: line and column, both from 1. */
export const place = (source: string, at: number): string => {
  const before = source.slice(0, at)
  return `${before.split("\n").length}:${at - before.lastIndexOf("\n")}`
}

/** The failure of a program that cannot be parsed; `at` counts from 0. */
export const malformed = (source: string, at: number, what: string): RenderFailed =>
  new RenderFailed({ detail: `The jsonnet is malformed at ${place(source, at)}: ${what}` })
