import { RenderFailed } from "#src/content/RenderFailed.ts"

/** Where a character of a program stands: its line and its place in the line, both from 1. */
export const place = (source: string, at: number): string => {
  const before = source.slice(0, at)
  return `${before.split("\n").length}:${at - before.lastIndexOf("\n")}`
}

/** A program that cannot be read; `at` counts from 0. */
export const malformed = (source: string, at: number, what: string): RenderFailed =>
  new RenderFailed({ detail: `The jsonnet is malformed at ${place(source, at)}: ${what}` })
