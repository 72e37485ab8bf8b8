import type { Scope } from "#schemas/Scope.ts"
import type { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import type { InvalidCursor, Page, PageQuery } from "#src/paging/Page.ts"
import { Context, type Effect, Schema } from "effect"

/** No such event: 404. */
export class AuditEventNotFound
  extends Schema.TaggedError<AuditEventNotFound>()("AuditEventNotFound", { id: Schema.String })
{}

/**
 * Who did it: an API key, by a name that gives no access, or a user by a token. `email`: the account's address, if the
 * request named it.
 */
export const Actor = Schema.Struct({ id: Schema.String, email: Schema.optionalKey(Schema.String) })
export type Actor = typeof Actor.Type

/** What was done, in dotted words (`notification.published`), to what (`notifications/nt_…`). */
export interface Deed {
  readonly type: string
  readonly source: string
  readonly target: string
  readonly actor: Actor
}

/** `at` in epoch ms. */
export interface AuditEvent extends Deed {
  readonly id: string
  readonly at: number
}

/** Who changed what (api.md 24). */
export class Audit extends Context.Service<Audit, {
  /** Runs an operation atomically: all that it writes and records is committed, or nothing if it fails. */
  readonly together: <A, E, R>(operation: Effect.Effect<A, E, R>) => Effect.Effect<A, E | StoreUnavailable, R>
  readonly record: (scope: Scope, deed: Deed) => Effect.Effect<void, StoreUnavailable>
  /** Newest first. */
  readonly list: (
    scope: Scope,
    page: PageQuery
  ) => Effect.Effect<Page<AuditEvent>, InvalidCursor | StoreUnavailable>
  readonly get: (scope: Scope, id: string) => Effect.Effect<AuditEvent, AuditEventNotFound | StoreUnavailable>
}>()("tidings/Audit") {}
