import type { Instructions } from "#schemas/SendMessage.ts"

type Timeout = Exclude<Instructions["timeout"], null | undefined>

const given = (timeout: Timeout): Timeout =>
  Object.fromEntries(Object.entries(timeout).filter(([, value]) => value !== null && value !== undefined))

/** Instructions without older names of fields (api.md §3). What is said by the present name wins. */
export const replaced = (instructions: Instructions): Instructions => {
  if (instructions.timeouts === undefined) return instructions
  const { timeouts, ...others } = instructions
  return timeouts === null ? others : { ...others, timeout: { ...timeouts, ...given(others.timeout ?? {}) } }
}
