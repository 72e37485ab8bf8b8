import type { Scope } from "#schemas/Scope.ts"
import type { Check } from "#src/content/Submissions.ts"
import type { DeviceToken } from "#src/people/DeviceTokens.ts"
import type { AuditEvent } from "#src/reports/Audit.ts"
import { HashMap } from "effect"

/** `created` and `updated` in epoch ms. */
export interface DeviceRow extends DeviceToken {
  readonly scope: Scope
  readonly userId: string
  readonly created: number
  readonly updated: number
}

/** What the stores of translations, devices, submissions, audit and request counts hold. */
export interface AccessState {
  readonly audit: HashMap.HashMap<string, AuditEvent & { readonly scope: Scope }>
  readonly translations: HashMap.HashMap<string, string>
  readonly devices: HashMap.HashMap<string, DeviceRow>
  readonly submissions: HashMap.HashMap<string, ReadonlyArray<Check>>
  readonly counts: HashMap.HashMap<string, { readonly start: number; readonly count: number }>
}

export const empty: AccessState = {
  audit: HashMap.empty(),
  translations: HashMap.empty(),
  devices: HashMap.empty(),
  submissions: HashMap.empty(),
  counts: HashMap.empty()
}
