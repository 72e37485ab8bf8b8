import type { ExpansionState } from "#schemas/Expansion.ts"
import type { MessageId } from "#schemas/MessageId.ts"
import type { Scope } from "#schemas/Scope.ts"
import type { OpenExpansion, RequestRecord } from "#src/delivery/Expansion.ts"
import type { NewMessage, NewProfile, RowRefused, Step, StepResult } from "#src/delivery/Journal.ts"
import type { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import type { RequestNotFound } from "#src/reports/MessageLog.ts"
import { Context, type Effect } from "effect"

/** What the messages of one page differ in; `size` is that of the recipient alone. */
export type PageMember = Pick<
  NewMessage,
  "id" | "shard" | "recipientKey" | "recipient" | "recipientName" | "size" | "tenantId" | "listId"
>

/** The messages of one page: what they have in common is said once; its `size` is that of the instructions. */
export interface Page {
  readonly common: Omit<NewMessage, Exclude<keyof PageMember, "size"> | "tries" | "recovered" | "attempts">
  readonly members: ReadonlyArray<PageMember>
  readonly profiles: ReadonlyArray<NewProfile>
}

/**
 * One step of an expansion by its owner: the page of messages, if there is one, and the new place, in one commit. It is
 * written only while `owner` is the shard's current epoch (P2) and the row stands at `from`; a message that is stored
 * already stays as it is. So a step that is repeated changes nothing.
 */
export interface Advance {
  readonly expansion: Pick<OpenExpansion, "id" | "scope" | "shard">
  readonly owner: number
  readonly at: number
  readonly from: string
  readonly to: string
  readonly page: Page | undefined
  /**
   * The intents of first calls to members of the page, each stored with its message: if that is new, and its shard
   * still of the intent's epoch (P2).
   */
  readonly intents?: ReadonlyArray<Step> | undefined
  readonly tries: number
  /** The epoch that began the current try; 0: the next turn begins another. */
  readonly epoch: number
  readonly state: ExpansionState
  /** 0: at once; epoch ms; null: it has ended. */
  readonly dueAt: number | null
  /** What a caller is told; null: nothing any more; absent: what he was told before. */
  readonly error?: string | null | undefined
}

/**
 * `Written` with the number of messages that are new, and the results of first steps: of the intents that were stored
 * with their messages, and `Refused` for all messages that were there before. An intent of such a message, written by
 * itself, could be taken for the one that the message has, if both began within a millisecond. What has no result is
 * written by itself.
 * `Passed`: the row stands elsewhere or has ended, nothing was written.
 */
export type Advanced =
  | {
    readonly _tag: "Written"
    readonly created: number
    readonly intents: ReadonlyMap<MessageId, StepResult>
  }
  | { readonly _tag: "Passed" }
  | { readonly _tag: "Fenced" }

/**
 * In ms, for how long an open expansion waits at most. One that is due later was written by a clock that was ahead and
 * has been set back since.
 */
export const longestPause = 320_000

/** Open expansions, and the epoch ms at which the next one comes due. */
export interface OpenExpansions {
  readonly rows: ReadonlyArray<OpenExpansion>
  readonly next: number | undefined
}

/**
 * The rows of requests to many. They are accepted with the journal (`Acceptance.expansion`); only their owner moves
 * them.
 */
export class Expansions extends Context.Service<Expansions, {
  /** What is due in these shards; the one that was left alone longest comes first, so that they take turns. */
  readonly open: (
    shards: ReadonlyArray<number>,
    now: number,
    limit: number
  ) => Effect.Effect<OpenExpansions, StoreUnavailable>
  readonly advance: (step: Advance) => Effect.Effect<Advanced, RowRefused | StoreUnavailable>
  /** Whether these turns (`LaneShares.turnOf`) have more than `most` bulk messages together that are ready, on any node. */
  readonly isBacklogged: (most: number, turns: ReadonlyArray<string>) => Effect.Effect<boolean, StoreUnavailable>
  /**
   * An expansion that was set aside goes on from its place, with its tries counted from 0 again; any other stays as it
   * is.
   */
  readonly resume: (scope: Scope, id: MessageId) => Effect.Effect<void, StoreUnavailable>
  /** A request of any kind. One that was not expanded is told as complete, with the times of its messages. */
  readonly find: (scope: Scope, id: MessageId) => Effect.Effect<RequestRecord, RequestNotFound | StoreUnavailable>
}>()("tidings/Expansions") {}
