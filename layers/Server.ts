import { CannotListen } from "#layers/CannotStart.ts"
import * as Welcome from "#layers/cli/Welcome.ts"
import * as Workers from "#layers/cluster/Workers.ts"
import * as Engine from "#layers/Engine.ts"
import { AccountEmail } from "#layers/http/Access.ts"
import * as CallbackRoute from "#layers/http/routes/Callbacks.ts"
import * as ClusterRoute from "#layers/http/routes/Clusters.ts"
import { CorsOrigins } from "#layers/http/Cors.ts"
import * as Front from "#layers/http/Front.ts"
import * as KnownCallers from "#layers/http/KnownCallers.ts"
import * as Measured from "#layers/http/Measured.ts"
import * as Operations from "#layers/http/routes/Operations.ts"
import * as PlainSends from "#layers/http/plain/PlainSends.ts"
import * as PreferenceRoute from "#layers/http/pages/Preferences.ts"
import * as UnsubscribeRoute from "#layers/http/pages/Unsubscribe.ts"
import * as Routes from "#layers/http/Routes.ts"
import * as ClickRoute from "#layers/http/routes/Clicks.ts"
import * as OpenRoute from "#layers/http/routes/Tracking.ts"
import * as Outbound from "#layers/outbound/Outbound.ts"
import * as Proxy from "#layers/outbound/Proxy.ts"
import * as CallbackTargets from "#layers/postgres/CallbackTargets.ts"
import * as UpkeepWakeups from "#layers/postgres/notices/UpkeepWakeups.ts"
import * as CallbackReaders from "#layers/providers/receipts/Readers.ts"
import type { Values } from "#layers/settings/Settings.ts"
import { build } from "#layers/telemetry/Build.ts"
import * as Admission from "#src/access/Admission.ts"
import * as Limits from "#src/access/RateLimits.ts"
import * as Sweep from "#src/access/Sweep.ts"
import * as Previews from "#src/delivery/Previews.ts"
import * as Rehearsals from "#src/delivery/Rehearsals.ts"
import * as PreferencePage from "#src/people/PreferencePage.ts"
import * as Unsubscribing from "#src/people/Unsubscribing.ts"
import * as AudienceUpkeep from "#src/people/AudienceUpkeep.ts"
import * as Callbacks from "#src/reports/Callbacks.ts"
import * as PushReceipts from "#src/reports/PushReceipts.ts"
import * as Receipts from "#src/reports/Receipts.ts"
import * as Clicks from "#src/reports/Clicks.ts"
import * as Tracking from "#src/reports/Tracking.ts"
import * as Telling from "#src/reports/webhooks/Telling.ts"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Effect, Layer, type Redacted } from "effect"
import { HttpRouter, HttpServer } from "effect/http"

/** Receipts: what providers report about messages, by themselves or when they are asked. */
const receipts = Layer.merge(CallbackRoute.layer.pipe(Layer.provide(Callbacks.layer)), PushReceipts.layer).pipe(
  Layer.provide([Receipts.layer, CallbackTargets.layer, CallbackReaders.layer]),
  Layer.provide(Outbound.layer)
)

/** What the readers of messages open, follow and choose: tracked opens and clicks, unsubscribing, preferences. */
const readers = Layer.mergeAll(
  OpenRoute.layer.pipe(Layer.provide(Tracking.layer)),
  ClickRoute.layer.pipe(Layer.provide(Clicks.layer)),
  UnsubscribeRoute.layer.pipe(Layer.provide(Unsubscribing.layer)),
  PreferenceRoute.layer.pipe(Layer.provide(PreferencePage.layer))
)

const welcome = ({ dataDir, databaseUrl, port }: Values) =>
  Layer.effectDiscard(Effect.gen(function*() {
    const { made } = yield* Welcome.FirstKeys
    const server = yield* HttpServer.HttpServer
    const url = `http://localhost:${server.address._tag === "UnixPathAddress" ? port : server.address.port}`
    if (made !== undefined) yield* Welcome.printSteps(url, made)
    // An empty DATABASE_URL counts as unset: an operator who expected another store sees so here.
    const store = databaseUrl === undefined ? `embedded in ${dataDir}` : "DATABASE_URL"
    const proxies = yield* Proxy.proxies
    const [proxy, idle] = [Proxy.named(proxies), Proxy.idle(proxies)]
    if (idle.length > 0) {
      yield* Effect.logWarning("NO_PROXY has entries that are no host, domain or network, and change nothing", { idle })
    }
    yield* Effect.logInfo("listening", {
      url,
      docs: `${url}/docs`,
      store,
      ...(proxy === undefined ? {} : { proxy }),
      ...build
    })
  }))

/** The Redis client is six hundred modules, which a node without Redis does not load. */
const inRedis = (url: Redacted.Redacted) =>
  Layer.unwrap(
    Effect.map(Effect.promise(() => import("#layers/redis/RateLimits.ts")), ({ layer }) => layer(url))
  )

/** Rate limits, counted in the database, or in Redis, with the database to fall back on. */
const rateLimits = ({ rateLimits: text, redisUrl }: Values) =>
  Layer.merge(
    redisUrl === undefined ? Layer.empty : inRedis(redisUrl),
    Layer.succeed(Limits.RateLimitTable, Limits.parse(text) ?? Limits.defaults)
  )

/** Keeps the members of audiences up to date when profiles change, and tells webhooks what happens. */
const upkeep = UpkeepWakeups.layer.pipe(
  Layer.provide([AudienceUpkeep.layer, Telling.layer.pipe(Layer.provide(Outbound.layer))])
)

/**
 * The routes of a node, its engine workers, and the upkeep that runs beside them: deleting what has expired,
 * audiences, and webhooks.
 */
const front = (settings: Values) =>
  Layer.merge(
    PlainSends.layer,
    Front.layer(HttpRouter.toHttpEffect(
      Layer.mergeAll(
        Routes.layer,
        receipts,
        readers,
        ClusterRoute.layer,
        Operations.layer({ alone: settings.databaseUrl === undefined, engine: settings.workers === 0 })
      ).pipe(Layer.provide(Measured.layer))
    ))
  ).pipe(
    Layer.provide([
      Admission.layer,
      KnownCallers.layer,
      Layer.succeed(AccountEmail, settings.accountEmail),
      Layer.succeed(CorsOrigins, settings.corsOrigins)
    ]),
    Layer.provide(NodeHttpServer.layerHttpServices),
    Layer.provideMerge(Welcome.layerKeys(settings.bootstrapSecret)),
    Layer.provide([Previews.layer, Rehearsals.layer]),
    Layer.provide(rateLimits(settings)),
    Layer.provideMerge(Workers.layer(settings.workers)),
    Layer.provide([Sweep.layer, upkeep])
  )

const http = ({ port }: Values) =>
  // Of a burst of more callers than the backlog (Node's is 511), the others would try again after seconds.
  Front.server({ port, backlog: 4_096, gracefulShutdownTimeout: "5 seconds" }).pipe(
    Layer.catchTag(
      "ServeError",
      ({ cause }) => Layer.effectContext(new CannotListen({ address: `port ${port}`, variable: "PORT", cause }))
    )
  )

/** The HTTP server of a node. It stops before everything below it. */
const server = (settings: Values) => Layer.merge(Front.serve, welcome(settings)).pipe(Layer.provide(http(settings)))

/** The same for its engine workers, which drain at once. */
const stoppingWorkers = Layer.effectDiscard(
  Effect.flatMap(Workers.Workers, ({ stop }) => Effect.addFinalizer(() => stop))
)

/**
 * A server on this engine. When it stops, nothing new is begun; then everything ends in the reverse order of its start:
 * HTTP first, then the shards, then the store.
 */
export const layer = <E, R>(settings: Values, engine: ReturnType<typeof Engine.layer<E, R>>) => {
  const face = front(settings).pipe(Layer.provide(engine))
  // What is in the context of the server is copied into every request's, several times: it has nothing of what is below
  // the routes, since it is built in none of that. The stop is built last, and so comes first.
  return Layer.merge(Engine.stopping, stoppingWorkers).pipe(
    Layer.provide(face),
    Layer.provide(engine),
    Layer.provide(server(settings).pipe(Layer.provide(face)))
  )
}
