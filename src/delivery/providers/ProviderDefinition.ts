import type { Vendor } from "#src/delivery/Provider.ts"
import type { Effect, Schema, Scope } from "effect"

/**
 * One vendor as the catalogue shows it and the engine runs it: one file each in `layers/providers`, with its settings
 * and its error table. `make` builds a configuration into a way of sending; it is scoped, since it may hold
 * connections. Every vendor over HTTP takes `base_url`.
 */
export interface ProviderDefinition<Settings, R = never> {
  /** Catalogue key, such as `sendgrid`. */
  readonly key: string
  /** Shown to people. */
  readonly name: string
  readonly description: string
  /** Channel id: email, sms, push or direct_message. */
  readonly channel: string
  readonly settings: Schema.Codec<Settings, unknown>
  /**
   * The settings that say where the secrets are sent, and how safely: whoever changes one must give the secrets again.
   */
  readonly places: ReadonlyArray<string>
  readonly make: (settings: Settings) => Effect.Effect<Vendor, never, R | Scope.Scope>
}
