import { CannotListen } from "#layers/CannotStart.ts"
import * as Migrations from "#layers/postgres/Migrations.ts"
import * as NodeClusterSocket from "@effect/platform-node/NodeClusterSocket"
import { Layer, Option } from "effect"
import { MessageStorage, RunnerAddress, ShardingConfig, SqlRunnerStorage } from "effect/cluster"

/** Where the other nodes reach this one. */
export interface Address {
  readonly host: string
  readonly port: number
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

/** The cluster of all nodes on this database: its table lists the runners, and its advisory locks place the shards. */
export const layer = ({ host, port }: Address) => {
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
          variable: "TIDINGS_CLUSTER_HOST or TIDINGS_CLUSTER_PORT",
          cause
        })
      )),
    Layer.provide([MessageStorage.layerNoop, runners]),
    Layer.provide(ShardingConfig.layer({ ...ShardingConfig.defaults, ...shardingConfig }))
  )
}
