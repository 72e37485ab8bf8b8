import type { KeyState, Scope } from "#schemas/Scope.ts"
import type { TenantTemplate, TenantVersion } from "#schemas/TenantTemplate.ts"
import type { ContentRefused } from "#src/content/ContentRefused.ts"
import type { UnknownBrand, VersionNotFound } from "#src/content/Templates.ts"
import type { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import type { InvalidCursor, Page, PageQuery } from "#src/paging/Page.ts"
import type { TenantNotFound } from "#src/people/Tenants.ts"
import { Context, type Effect, Schema } from "effect"

/** The tenant has no such template: 404. */
export class TenantTemplateNotFound
  extends Schema.TaggedError<TenantTemplateNotFound>()("TenantTemplateNotFound", { id: Schema.String })
{}

/**
 * One version of a tenant's template. `published`: since when any version of it has been published. Times in epoch ms.
 */
export interface TenantTemplateRecord {
  readonly id: string
  readonly version: number
  readonly template: TenantTemplate
  readonly created: number
  readonly updated: number
  readonly published: number | undefined
}

/** The version that is the latest now. `isMade`: the tenant had no such template before. */
export interface WrittenTenantTemplate extends TenantTemplateRecord {
  readonly isMade: boolean
}

/** The version that is published now. `changed`: another version, or none, was published before. */
export interface PublishedTenantTemplate extends TenantTemplateRecord {
  readonly changed: boolean
}

type Missing = TenantTemplateNotFound | StoreUnavailable

/**
 * Tenants' own templates (api.md §11). Each has the id of the template that it replaces in sends to the tenant. What is
 * written is a new version unless it is as the latest one is; a version never changes, and at most one is published. The brands of the channels of what is written
 * or published must exist. Each write is one atomic change.
 */
export class TenantTemplates extends Context.Service<TenantTemplates, {
  readonly put: (
    scope: Scope,
    tenantId: string,
    id: string,
    template: TenantTemplate,
    publish: boolean
  ) => Effect.Effect<WrittenTenantTemplate, ContentRefused | TenantNotFound | UnknownBrand | StoreUnavailable>
  readonly publish: (
    scope: Scope,
    tenantId: string,
    id: string,
    version: TenantVersion
  ) => Effect.Effect<PublishedTenantTemplate, ContentRefused | UnknownBrand | VersionNotFound | Missing>
  readonly get: (
    scope: Scope,
    tenantId: string,
    id: string,
    version: TenantVersion
  ) => Effect.Effect<TenantTemplateRecord, VersionNotFound | Missing>
  /** Ordered by id, with the newest version of each. */
  readonly list: (
    scope: Scope,
    tenantId: string,
    page: PageQuery
  ) => Effect.Effect<Page<TenantTemplateRecord>, InvalidCursor | StoreUnavailable>
  /** Removes it with all its versions. */
  readonly remove: (scope: Scope, tenantId: string, id: string) => Effect.Effect<void, Missing>
  /**
   * For a send: the published version for published keys, the newest one for draft keys; `undefined` if there is none.
   * As cheap and as fresh as `Templates.resolve`.
   */
  readonly resolve: (
    scope: Scope,
    tenantId: string,
    id: string,
    keyState: KeyState
  ) => Effect.Effect<TenantTemplate | undefined, StoreUnavailable>
}>()("tidings/TenantTemplates") {}
