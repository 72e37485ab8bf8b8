import type { CannotListen } from "#layers/CannotStart.ts"
import * as ManyNodes from "#layers/cluster/ManyNodes.ts"
import * as NodeId from "#layers/cluster/NodeId.ts"
import * as Placement from "#layers/cluster/Placement.ts"
import * as SingleNode from "#layers/cluster/SingleNode.ts"
import * as Worker from "#layers/cluster/Worker.ts"
import * as Mjml from "#layers/mjml/Mjml.ts"
import * as Backlogs from "#layers/postgres/Backlogs.ts"
import * as Clusters from "#layers/postgres/Clusters.ts"
import * as Database from "#layers/postgres/Database.ts"
import * as Invalidations from "#layers/postgres/notices/Invalidations.ts"
import * as OpenDays from "#layers/postgres/days/OpenDays.ts"
import * as OpenRows from "#layers/postgres/days/OpenRows.ts"
import * as Stores from "#layers/postgres/Stores.ts"
import * as Unreached from "#layers/postgres/notices/Unreached.ts"
import * as Wakeups from "#layers/postgres/notices/Wakeups.ts"
import * as Vendors from "#layers/providers/Vendors.ts"
import * as VendorHttp from "#layers/providers/VendorHttp.ts"
import * as SecretKeyFile from "#layers/settings/SecretKeyFile.ts"
import type { Values } from "#layers/settings/Settings.ts"
import * as UserTokens from "#src/access/UserTokens.ts"
import { BrandLimit } from "#src/content/Brands.ts"
import * as Layouts from "#src/content/Layouts.ts"
import * as Rendering from "#src/content/Rendering.ts"
import * as Intake from "#src/delivery/Intake.ts"
import * as FirstSteps from "#src/delivery/journal/FirstSteps.ts"
import type { Handover } from "#src/delivery/journal/Handover.ts"
import * as Pipeline from "#src/delivery/Pipeline.ts"
import type { Placement as Placed } from "#src/delivery/shards/Placement.ts"
import type { Providers } from "#src/delivery/Providers.ts"
import { ShardCount } from "#src/delivery/shards/ShardCount.ts"
import * as Shards from "#src/delivery/Shards.ts"
import * as PreferenceLinks from "#src/people/PreferenceLinks.ts"
import * as TenantPreferences from "#src/people/TenantPreferences.ts"
import * as TopicPreferences from "#src/people/TopicPreferences.ts"
import * as Clicks from "#src/reports/Clicks.ts"
import * as Tracking from "#src/reports/Tracking.ts"
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import * as NodeServices from "@effect/platform-node/NodeServices"
import type { PgClient } from "@effect/sql-pg"
import { type Config, Effect, Layer } from "effect"
import type { SecureRandom } from "effect/crypto"
import type { SqlClient, SqlError } from "effect/sql"

const stores = Layer.mergeAll(Stores.layer, Backlogs.layer, Clusters.layer, UserTokens.layer).pipe(
  Layer.provide(OpenRows.layer),
  Layer.provide(OpenDays.layer)
)

/** Renders messages. Nothing of it is loaded before the first message needs it. */
const rendering = Rendering.layer.pipe(Layer.provide(Layouts.layer), Layer.provide(Mjml.layer))

const vendors = Vendors.layer.pipe(Layer.provide(VendorHttp.layer))

/**
 * Where the shards run: all in this process with the embedded store, else spread over the nodes of the database. A
 * server that has workers leaves them to those.
 */
const placement = ({ clusterHost: host, clusterPort: port, databaseUrl, followsPort, workers }: Values): Layer.Layer<
  Placed,
  CannotListen | Config.ConfigError | SqlError.SqlError,
  | Handover
  | Invalidations.Invalidations
  | NodeId.NodeId
  | PgClient.PgClient
  | SecureRandom.SecureRandom
  | SqlClient.SqlClient
  | Shards.Shards
> => {
  const address = `${host}:${port}`
  if (databaseUrl === undefined) return Placement.layer("embedded").pipe(Layer.provide(SingleNode.layer))
  if (workers > 0) return Layer.merge(Placement.none, Wakeups.announced(address))
  return Placement.layer(address).pipe(
    Layer.merge([Wakeups.layer(address), Unreached.layer(address)]),
    Layer.provide(ManyNodes.layer({ host, port, followsPort }))
  )
}

/** The delivery engine with the store and these providers, and the services that the routes share with it. */
export const layer = <E, R>(settings: Values, providers: Layer.Layer<Providers, E, R>) =>
  placement(settings).pipe(
    Layer.provideMerge([Intake.layer, TopicPreferences.layer]),
    Layer.provideMerge(
      Shards.layer.pipe(
        Layer.provideMerge(Pipeline.layer),
        Layer.provide(FirstSteps.layer),
        Layer.provideMerge(providers)
      )
    ),
    Layer.provideMerge(TenantPreferences.layer),
    Layer.provideMerge(rendering),
    Layer.provideMerge(Clicks.layerTracking),
    Layer.provideMerge([Tracking.layerLinks, PreferenceLinks.layer]),
    Layer.provideMerge(stores),
    Layer.provideMerge(vendors),
    Layer.provideMerge(Database.layer(settings)),
    Layer.provideMerge([
      Layer.succeed(ShardCount, settings.shards),
      Layer.succeed(BrandLimit, settings.brandLimit),
      Layer.succeed(Tracking.PublicUrl, settings.publicUrl),
      Layer.succeed(Clicks.Tracked, settings.tracked)
    ]),
    Layer.provideMerge([SecretKeyFile.layer, NodeId.layer(Worker.given?.tidingsNode), Invalidations.layer]),
    Layer.provideMerge([NodeCrypto.layer, NodeServices.layer])
  )

/** The first thing that a stop does, while requests and steps under way come to their end. */
export const stopping = Layer.effectDiscard(
  Effect.flatMap(Shards.Shards, ({ stop }) => Effect.addFinalizer(() => stop))
)
