import { Layer, Option } from "effect"
import { MessageStorage, RunnerHealth, Runners, RunnerStorage, Sharding, ShardingConfig } from "effect/cluster"

/**
 * The cluster of one process: like `SingleRunner`, but without its SQL message storage, which would poll the store for
 * mailboxes that we do not keep there.
 */
export const layer = Sharding.layer.pipe(
  Layer.provide([Runners.layerNoop, RunnerHealth.layerNoop]),
  Layer.provide([MessageStorage.layerNoop, RunnerStorage.layerMemory]),
  Layer.provide(
    ShardingConfig.layer({
      shardsPerGroup: 64,
      entityTerminationTimeout: "20 seconds",
      runnerListenAddress: Option.none()
    })
  )
)
