import type { Scope } from "#schemas/Scope.ts"

/** `settings` and `snippets` are JSON text. */
export interface BrandRow {
  readonly scope: Scope
  readonly id: string
  readonly name: string
  readonly settings: string
  readonly snippets: string
  readonly isDefault: boolean
  readonly version: number
  readonly created: number
  readonly updated: number
  readonly published: number
}

/** `draft` is the JSON text of what the caller wrote, without default preferences; `preferences` of those, by topic. */
export interface TenantRow {
  readonly scope: Scope
  readonly id: string
  readonly parentId: string | undefined
  readonly brandId: string | undefined
  readonly draft: string
  readonly preferences: ReadonlyMap<string, string>
  readonly created: number
  readonly updated: number
}

/** `profile` is JSON text. */
export interface TenantUserRow {
  readonly scope: Scope
  readonly tenantId: string
  readonly userId: string
  readonly profile: string | undefined
  readonly created: number
}

/** Its versions in the order of their numbers, from 1; JSON text. */
export interface TenantTemplateRow {
  readonly scope: Scope
  readonly tenantId: string
  readonly id: string
  readonly live: number | undefined
  readonly versions: ReadonlyArray<string>
  readonly created: number
  readonly updated: number
  readonly published: number | undefined
}
