import { CannotListen, isTaken } from "#layers/CannotStart.ts"
import * as Migrations from "#layers/postgres/Migrations.ts"
import * as NodeClusterSocket from "@effect/platform-node/NodeClusterSocket"
import { Array, Cause, Effect, Layer, Logger, Option } from "effect"
import { Socket } from "effect/socket"
import { MessageStorage, RunnerAddress, ShardingConfig, SqlRunnerStorage } from "effect/cluster"

/** Where the other nodes reach this one. */
export interface Address {
  readonly host: string
  readonly port: number
  /** Whether the port follows from `PORT`, so that a second node here needs one of its own. */
  readonly followsPort: boolean
}

/** With these, a dead node's shards are served elsewhere within 10 s, and a joining node has its share in about 1 s. */
const times = {
  refreshAssignmentsInterval: "1 second",
  shardLockRefreshInterval: "2 seconds",
  shardLockExpiration: "8 seconds",
  runnerHealthCheckInterval: "2 seconds",
  entityTerminationTimeout: "20 seconds"
} as const

const prefix = "cluster"

const runners = SqlRunnerStorage.layerStorage({ prefix }).pipe(
  Layer.provide(
    Layer.effectDiscard(Migrations.run(`${prefix}_runner_migrations`, SqlRunnerStorage.migrations({ prefix })))
  ),
  Layer.orDie
)

/** What the cluster says every two seconds of an outage, whose beginning and end it tells too. */
const repeated = "Shard lock storage is still unhealthy"

/**
 * What it says, as an error, of a connection that another node broke off: one that died, or did not wait for this one,
 * which stood still. Both are told of elsewhere.
 */
const brokenOff = "Unhandled error in SocketServer"

const isNoise = ({ cause, message }: Logger.Options<unknown>): boolean => {
  const [text] = Array.ensure(message)
  return text === repeated || (text === brokenOff && Socket.isSocketError(Cause.squash(cause)))
}

const discerning = <A>(logger: Logger.Logger<unknown, A>): Logger.Logger<unknown, A | undefined> =>
  Logger.make((options) => isNoise(options) ? undefined : logger.log(options))

/** The loggers, without what tells an operator nothing. */
const quiet = Layer.effect(
  Logger.CurrentLoggers,
  Effect.map(Logger.CurrentLoggers, (loggers) => new Set([...loggers].map(discerning)))
)

/** The cluster of all nodes on this database: its table lists the runners, and its advisory locks place the shards. */
export const layer = ({ followsPort, host, port }: Address) => {
  const address = RunnerAddress.make(host, port)
  const shardingConfig = {
    ...times,
    shardsPerGroup: 64,
    runnerAddress: Option.some(address),
    runnerListenAddress: Option.some(address)
  }
  return NodeClusterSocket.layer({ storage: "byo", shardingConfig }).pipe(
    Layer.catchTag("SocketServerError", ({ cause }) =>
      Layer.effectContext(
        new CannotListen({
          address: `${host}:${port}`,
          variable: followsPort && isTaken(cause)
            ? "a PORT of this node's own, from which that port follows (or TIDINGS_CLUSTER_PORT, TIDINGS_CLUSTER_HOST)"
            : "TIDINGS_CLUSTER_HOST or TIDINGS_CLUSTER_PORT",
          cause
        })
      )),
    Layer.provide([MessageStorage.layerNoop, runners]),
    Layer.provide(ShardingConfig.layer({ ...ShardingConfig.defaults, ...shardingConfig })),
    Layer.provide(quiet)
  )
}
