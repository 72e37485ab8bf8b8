import type { Answer } from "#test/support/ScriptedVendor.ts"

/** An answer in JSON, as most vendors give. */
export const json = (status: number, body: unknown, headers: Record<string, string> = {}): Answer => ({
  status,
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify(body)
})
