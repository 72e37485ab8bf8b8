import type { CountName } from "#src/flows/SendCounts.ts"
import type { LimitName } from "#src/flows/SendLimits.ts"
import { HashMap } from "effect"

/** `said` is JSON text. */
export interface LimitRow extends LimitName {
  readonly said: string
  readonly created: number
  readonly updated: number | undefined
}

export interface CountRow extends CountName {
  readonly used: number
}

/** Send limits by environment and name, how far their counts are, and the names of the messages in these. */
export interface LimitState {
  readonly limits: HashMap.HashMap<string, LimitRow>
  readonly counts: HashMap.HashMap<string, CountRow>
  readonly counted: HashMap.HashMap<string, true>
}

export const empty: LimitState = { limits: HashMap.empty(), counts: HashMap.empty(), counted: HashMap.empty() }
