import { Context, Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"

/** Names a node for as long as its process lives: a server and its workers are one node. */
export class NodeId extends Context.Service<NodeId, string>()("tidings/cluster/NodeId") {}

/** `given`: what a worker was told by its server, which chose it. */
export const layer = (given: string | undefined) =>
  Layer.effect(
    NodeId,
    given === undefined
      ? Effect.orDie(Effect.flatMap(SecureRandom.SecureRandom, (random) => random.uuidV4()))
      : Effect.succeed(given)
  )
