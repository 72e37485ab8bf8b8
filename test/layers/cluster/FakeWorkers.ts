import { NodeId } from "#layers/cluster/NodeId.ts"
import * as Workers from "#layers/cluster/Workers.ts"
import * as Invalidations from "#layers/postgres/notices/Invalidations.ts"
import * as Handover from "#src/delivery/journal/Handover.ts"
import { Effect, Layer } from "effect"
import process from "node:process"
import type { Worker } from "node:worker_threads"

/** So many workers with this program, of a node. */
export const layer = (count: number, program: URL) =>
  Workers.layer(count, program).pipe(
    Layer.provideMerge([Invalidations.layer, Handover.layer, Layer.succeed(NodeId, "a node")])
  )

/** A worker that has started and owns these shards, and does this with each request. */
export const workerOf = (onRequest: string, shards: ReadonlyArray<number> = []) =>
  new URL(`data:text/javascript,${
    encodeURIComponent(`
    import { parentPort } from "node:worker_threads"
    parentPort.postMessage({ shards: [${shards}], alone: false, backlogged: [] })
    parentPort.on("message", (request) => {
      ${onRequest}
    })
  `)
  }`)

/** The worker threads that this process starts meanwhile, and whether each has ended. */
export const threads = Effect.acquireRelease(
  Effect.sync(() => {
    const started: Array<{ ended: boolean }> = []
    const listener = (worker: Worker) => {
      const thread = { ended: false }
      started.push(thread)
      worker.on("exit", () => void (thread.ended = true))
    }
    process.on("worker", listener)
    return { started, listener }
  }),
  ({ listener }) => Effect.sync(() => process.off("worker", listener))
)
