import type { KeyState, Scope } from "#schemas/Scope.ts"
import type { Alias, Snapshot, Template, TemplateContent, TemplateState } from "#schemas/Template.ts"
import type { ContentRefused } from "#src/content/ContentRefused.ts"
import type { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import type { InvalidCursor, Page, PageQuery } from "#src/paging/Page.ts"
import { Context, type Effect, Schema } from "effect"

/** No such template, or it is archived: 404, or UNMAPPED in a send. */
export class TemplateNotFound
  extends Schema.TaggedError<TemplateNotFound>()("TemplateNotFound", { id: Schema.String })
{}

/** The template has no such version, or was never published: 404. */
export class VersionNotFound extends Schema.TaggedError<VersionNotFound>()("VersionNotFound", { id: Schema.String }) {}

/** The template was never published, but the key renders published templates: UNMAPPED, UNPUBLISHED. */
export class TemplateUnpublished
  extends Schema.TaggedError<TemplateUnpublished>()("TemplateUnpublished", { id: Schema.String })
{}

/** Another template has this alias: 409. */
export class AliasTaken extends Schema.TaggedError<AliasTaken>()("AliasTaken", { alias: Schema.String }) {}

/** The template names a brand that does not exist: 400. */
export class UnknownBrand extends Schema.TaggedError<UnknownBrand>()("UnknownBrand", { id: Schema.String }) {}

/** The template names a routing strategy that does not exist: 400. */
export class UnknownStrategy extends Schema.TaggedError<UnknownStrategy>()("UnknownStrategy", { id: Schema.String }) {}

/** The template names a topic that never existed: 400. */
export class UnknownTopic extends Schema.TaggedError<UnknownTopic>()("UnknownTopic", { id: Schema.String }) {}

/** A template as a caller wrote it. An `alias` of `undefined` keeps the stored one, `null` removes it. */
export interface TemplateDraft {
  readonly template: Template
  readonly alias: Alias | null | undefined
  readonly publish: boolean
}

/** A template with one of its snapshots. Times in epoch ms. */
export interface TemplateRecord {
  readonly id: string
  readonly template: Template
  readonly state: TemplateState
  readonly alias: string | undefined
  readonly created: number
  readonly updated: number | undefined
}

/** A template in a list: the name and tags of its draft, the topic of its live version. Times in epoch ms. */
export interface TemplateSummary {
  readonly id: string
  readonly name: string
  readonly tags: ReadonlyArray<string>
  readonly state: TemplateState
  readonly topicId: string | undefined
  readonly created: number
  readonly updated: number | undefined
}

/** `number` is `undefined` for the draft. `hasChanges`: the draft differs from the live version. Time in epoch ms. */
export interface VersionRecord {
  readonly number: number | undefined
  readonly live: boolean
  readonly hasChanges: boolean | undefined
  readonly created: number
}

/** What a send renders. */
export interface Resolved {
  readonly id: string
  /** The template's alias, whichever name the send used. */
  readonly alias: string | undefined
  readonly template: Template
}

type Missing = TemplateNotFound | StoreUnavailable

/**
 * Notification templates (api.md §14): one draft that is edited, and numbered versions that never change, one of which
 * is live. Every write is one atomic change. A write that names a brand, strategy or topic that does not exist is
 * refused.
 */
export class Templates extends Context.Service<Templates, {
  readonly create: (
    scope: Scope,
    draft: TemplateDraft
  ) => Effect.Effect<
    TemplateRecord,
    AliasTaken | ContentRefused | UnknownBrand | UnknownStrategy | UnknownTopic | StoreUnavailable
  >
  /** Works for an archived template too. */
  readonly get: (
    scope: Scope,
    id: string,
    snapshot: Snapshot
  ) => Effect.Effect<TemplateRecord, VersionNotFound | Missing>
  /** Replaces the draft. */
  readonly replace: (
    scope: Scope,
    id: string,
    draft: TemplateDraft
  ) => Effect.Effect<
    TemplateRecord,
    AliasTaken | ContentRefused | UnknownBrand | UnknownStrategy | UnknownTopic | Missing
  >
  /** Changes the draft's content, unless `edit` fails; the draft is locked meanwhile. */
  readonly editContent: <E>(
    scope: Scope,
    id: string,
    edit: (content: TemplateContent) => Effect.Effect<TemplateContent, E>,
    publish: boolean
  ) => Effect.Effect<TemplateRecord, E | ContentRefused | UnknownBrand | UnknownStrategy | Missing>
  /** From now on only `get` and `versions` find it. Its alias becomes free. */
  readonly archive: (scope: Scope, id: string) => Effect.Effect<void, Missing>
  /**
   * Makes the draft a new version and that version live, unless the live one is the same already. With a number, makes
   * that version live. Answers whether the live version changed.
   */
  readonly publish: (
    scope: Scope,
    id: string,
    version: Snapshot | undefined
  ) => Effect.Effect<boolean, ContentRefused | VersionNotFound | UnknownBrand | UnknownStrategy | Missing>
  /** The draft, then the versions, newest first. */
  readonly versions: (
    scope: Scope,
    id: string,
    page: PageQuery
  ) => Effect.Effect<Page<VersionRecord>, InvalidCursor | Missing>
  /**
   * Newest first, without archived ones. With `alias`, only the template that has it; with `strategyId`, only those
   * that use it.
   */
  readonly list: (
    scope: Scope,
    query: PageQuery & { readonly alias?: string | undefined; readonly strategyId?: string | undefined }
  ) => Effect.Effect<Page<TemplateSummary>, InvalidCursor | StoreUnavailable>
  /**
   * What a send with this name renders: the live version for published keys, the draft for draft keys. Cheap, since
   * every message asks: answers are cached, and a change counts at once on this node and within 2 s on others.
   */
  readonly resolve: (
    scope: Scope,
    idOrAlias: string,
    keyState: KeyState
  ) => Effect.Effect<Resolved, TemplateUnpublished | Missing>
}>()("tidings/Templates") {}
