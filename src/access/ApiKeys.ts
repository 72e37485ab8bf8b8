import type { KeyState, Scope } from "#schemas/Scope.ts"
import type { Grant } from "#src/access/Grant.ts"
import type { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import { Context, type Effect, type Redacted, Schema } from "effect"

/** Who makes a request: an environment of a workspace, and which snapshot of its templates the key renders. */
export interface Principal {
  readonly scope: Scope
  readonly keyState: KeyState
  /** What a user's token permits. Absent for an API key, which permits everything. */
  readonly grant?: Grant
}

/** No key, or not one of ours: 401. */
export class InvalidKey extends Schema.TaggedError<InvalidKey>()("InvalidKey", {}) {}

/** The new keys could not be shown, and so were not stored: no later start would make and show others. */
export class KeysUnseen extends Schema.TaggedError<KeysUnseen>()("KeysUnseen", { cause: Schema.Defect() }) {
  override get message(): string {
    return `the API keys could not be shown, so none were made: ${String(this.cause)}`
  }
}

/** The four keys that are made together, shown once. */
export interface BootstrapKeys {
  readonly productionPublished: Redacted.Redacted
  readonly productionDraft: Redacted.Redacted
  readonly testPublished: Redacted.Redacted
  readonly testDraft: Redacted.Redacted
}

/** API keys: `pk_prod_`, `dk_prod_`, `pk_test_`, `dk_test_` and a secret part; stored as keyed digests only (P9). */
export class ApiKeys extends Context.Service<ApiKeys, {
  readonly authenticate: (key: Redacted.Redacted) => Effect.Effect<Principal, InvalidKey | StoreUnavailable>
  /**
   * Creates the four keys if this store has none yet, and answers them; `undefined` when keys exist. With `secret` they
   * are `pk_prod_<secret>` and so on, otherwise random. They are committed only after `show` succeeds: if it fails, or
   * the process ends before, the store still has none.
   */
  readonly bootstrap: (
    secret: Redacted.Redacted | undefined,
    show?: (keys: BootstrapKeys) => Effect.Effect<void, KeysUnseen>
  ) => Effect.Effect<BootstrapKeys | undefined, KeysUnseen | StoreUnavailable>
  /**
   * Makes four keys in place of all that there are, which open nothing any more: nodes that run remember them for a
   * minute at most. If `show` fails, the old ones stay.
   */
  readonly replace: (
    secret: Redacted.Redacted | undefined,
    show?: (keys: BootstrapKeys) => Effect.Effect<void, KeysUnseen>
  ) => Effect.Effect<BootstrapKeys, KeysUnseen | StoreUnavailable>
}>()("tidings/ApiKeys") {}
