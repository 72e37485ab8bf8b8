import { optional } from "#schemas/Optional.ts"
import { ChannelSettings, ProviderSettings, Routing } from "#schemas/Routing.ts"
import { Schema } from "effect"

/** How messages are routed whose template names this strategy, unless they bring their own routing (api.md §15). */
export const RoutingStrategy = Schema.Struct({
  name: Schema.NonEmptyString.check(Schema.isMaxLength(512)),
  description: optional(Schema.String),
  tags: optional(Schema.Array(Schema.String)),
  routing: Routing,
  channels: optional(Schema.Record(Schema.String, ChannelSettings)),
  providers: optional(Schema.Record(Schema.String, ProviderSettings))
}).annotate({ title: "RoutingStrategyWrite" })
export type RoutingStrategy = typeof RoutingStrategy.Type
