import type { BulkSend } from "#layers/testing/Bulk.ts"
import type { SendOptions } from "#layers/testing/Caller.ts"
import type { Chance } from "#layers/testing/Chance.ts"
import type * as Faults from "#layers/testing/Faults.ts"
import type { BulkJob, Call, Change, Commit, Report, Request, Resend } from "#layers/testing/History.ts"
import type { Environment, Stored } from "#layers/testing/Stored.ts"
import type { SendMessage } from "#schemas/SendMessage.ts"
import type { Arbitrary, Effect } from "effect"

/** A simulated world as a story sees it. Its time passes only while all nodes and callers wait. */
export interface World {
  readonly chance: Chance
  /**
   * POST /send, by a caller who tries again for as long as that is safe (`SendOptions.key`). Answers the caller's
   * record once it is accepted, refused or given up. If it was not accepted, it has no `requestId`, and its `tries` say
   * why.
   */
  readonly send: (message: typeof SendMessage.Encoded, options?: SendOptions) => Effect.Effect<Request>
  /** One value of the arbitrary, picked by the seed. */
  readonly draw: <A>(arbitrary: Arbitrary.Arbitrary<A>) => Effect.Effect<A>
  /**
   * POST /messages/:id/cancel, tried once. Answers whether the message is cancelled, or `undefined` if no answer came
   * or there is no such message.
   */
  readonly cancel: (messageId: string, environment?: Environment) => Effect.Effect<boolean | undefined>
  /**
   * POST /messages/:id/resend, tried again like `send`. A world has no rate limits; the API answers 429 to more than 10
   * of one message within a minute.
   */
  readonly resend: (messageId: string, options?: SendOptions) => Effect.Effect<Resend>
  /**
   * A bulk job: POST /bulk with `message`, POST /bulk/:job_id with `users`, and POST /bulk/:job_id/run, each tried again
   * like `send`, under the same `Idempotency-Key` if there is one. Answers the caller's record once the job is run,
   * refused or given up. If it was not run, it has no `requestId`, and its `tries` say why. How far it has come is told
   * by `stored.job`.
   */
  readonly bulk: (job: BulkSend, options?: SendOptions) => Effect.Effect<BulkJob>
  /**
   * Changes profiles, devices, preferences, lists, audiences, tenants, templates, translations or the settings of
   * providers, or lets a request go on that was set aside; tries until a node has answered. Answers whether the store did
   * it. It does not if the API refuses the change, such as leaving a list twice or opting out of a required topic. A
   * change that names a topic, list, tenant, template or provider that never existed ends the story.
   */
  readonly change: (change: Change, environment?: Environment) => Effect.Effect<boolean>
  /** The call's provider sends a receipt for it, and tries until a node has acknowledged it. */
  readonly report: (call: Call, event: Report["event"]) => Effect.Effect<void>
  /**
   * The recipient opens the message, in an app or a mail client that fetches its `urls.opened`; tries until a node has
   * acknowledged it. A message that is not on its way yet stays as it is.
   */
  readonly open: (messageId: string, environment?: Environment) => Effect.Effect<void>
  /** Reads of the store as it is now. */
  readonly stored: Stored
  /** The calls that providers got so far. */
  readonly calls: ReadonlyArray<Call>
  /** The writes that the store has seen so far, such as to strike a node just then. */
  readonly commits: ReadonlyArray<Commit>
  /**
   * Injects a fault now, into the node of this name (`a`, `b`, `c`…) or into any. Answers whether it could: there is
   * nothing to strike before the first node is up, in one that is down or frozen, or, for a `rob`, that has no shard.
   */
  readonly strike: (kind: Faults.Kind, node?: string) => Effect.Effect<boolean>
}

/**
 * What users do in a world: an effect that needs nothing from outside of it. Promises, files and the network never
 * answer there. Time is virtual and begins at `Options.begins`; `DateTime.now` of Effect tells it. A story that fails is
 * broken off, and its world breaks every property.
 */
export type Story = (world: World) => Effect.Effect<unknown, unknown>
