import { RenderFailed } from "#src/content/RenderFailed.ts"

/** The failure of a template that cannot be parsed; `at` counts from 0. */
export const malformed = (at: number, what: string): RenderFailed =>
  new RenderFailed({ detail: `The template is malformed at character ${at + 1}: ${what}` })
