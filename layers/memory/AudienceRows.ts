import type { TenantUserRow } from "#layers/memory/TenantRows.ts"
import type { LogicalOperator } from "#schemas/Audience.ts"
import type { Scope } from "#schemas/Scope.ts"
import { HashMap } from "effect"

/** `filter` is JSON text. */
export interface AudienceRow {
  readonly scope: Scope
  readonly id: string
  readonly name: string
  readonly description: string
  readonly filter: string | undefined
  readonly operator: LogicalOperator | undefined
  readonly version: number
  readonly created: number
  readonly updated: number
}

export interface AudienceMemberRow {
  readonly scope: Scope
  readonly audienceId: string
  readonly userId: string
  readonly version: number
  readonly added: number
  readonly reason: string
}

/** `judged` is what the members were worked out from: they are up to date while the state still holds the same maps. */
export interface AudienceState {
  readonly rows: HashMap.HashMap<string, AudienceRow>
  readonly members: ReadonlyArray<AudienceMemberRow>
  readonly judged: {
    readonly rows: HashMap.HashMap<string, AudienceRow>
    readonly profiles: HashMap.HashMap<string, string>
    readonly tenantUsers: HashMap.HashMap<string, TenantUserRow>
  } | undefined
}

export const empty: AudienceState = { rows: HashMap.empty(), members: [], judged: undefined }
