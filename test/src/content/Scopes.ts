import type { Scope } from "#src/content/Variables.ts"

/** What a rendering knows where there is nothing to know. */
export const nothing: Scope = {
  data: {},
  profile: {},
  system: () => ({}),
  refs: {},
  set: new Map(),
  loop: undefined,
  translate: () => undefined,
  snippet: () => undefined,
  throwing: false
}
