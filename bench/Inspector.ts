import { once } from "node:events"

/**
 * Reads the state of a Node process from outside, through its V8 inspector (`--inspect`), so that the server needs no
 * bench code.
 */
export interface Inspector {
  collectGarbage(): Promise<void>
  /** Bytes of live JavaScript objects. */
  heapBytes(): Promise<number>
  /** Live Effect fibers, after a collection. */
  fibers(): Promise<number>
  close(): void
}

interface Reply {
  readonly id?: number
  readonly error?: { readonly message: string }
  readonly result?: Record<string, unknown>
}

const fiberPrototype = (root: string) =>
  `(() => {
    const { Effect } = process.getBuiltinModule("node:module").createRequire(${JSON.stringify(root)})("effect")
    const fiber = Effect.runFork(Effect.void)
    return Object.getPrototypeOf(fiber)
  })()`

/**
 * Attaches to a process that printed "Debugger listening on ws://…" (`output`); `root` is a file of the program that it
 * runs.
 */
export const attach = async (output: string, root: string): Promise<Inspector> => {
  const url = /Debugger listening on (ws:\/\/\S+)/.exec(output)?.[1]
  if (url === undefined) throw new Error("the process was not started with --inspect")
  const socket = new WebSocket(url)
  await once(socket, "open")
  const waiting = new Map<number, (reply: Reply) => void>()
  let last = 0
  socket.addEventListener("message", (event) => {
    const reply = JSON.parse(String(event.data)) as Reply
    if (reply.id !== undefined) waiting.get(reply.id)?.(reply)
  })
  const call = (method: string, params: Record<string, unknown> = {}) =>
    new Promise<Record<string, unknown>>((resolve, reject) => {
      const id = ++last
      waiting.set(id, ({ error, result }) => {
        waiting.delete(id)
        if (error !== undefined) reject(new Error(`${method}: ${error.message}`))
        else resolve(result ?? {})
      })
      socket.send(JSON.stringify({ id, method, params }))
    })
  const remote = async (method: string, params: Record<string, unknown>, field = "result") => {
    const reply = await call(method, { ...params, objectGroup: "bench" })
    const thrown = reply["exceptionDetails"]
    if (thrown !== undefined) throw new Error(JSON.stringify(thrown).slice(0, 500))
    return reply[field] as { readonly objectId?: string; readonly value?: unknown }
  }
  const collectGarbage = async () => void await call("HeapProfiler.collectGarbage")
  return {
    collectGarbage,
    heapBytes: async () => {
      await collectGarbage()
      return Number((await call("Runtime.getHeapUsage"))["usedSize"])
    },
    fibers: async () => {
      await collectGarbage()
      const prototype = await remote("Runtime.evaluate", { expression: fiberPrototype(root) })
      const objects = await remote("Runtime.queryObjects", { prototypeObjectId: prototype.objectId }, "objects")
      const { value } = await remote("Runtime.callFunctionOn", {
        objectId: objects.objectId,
        functionDeclaration: "function() { return this.length }"
      })
      await call("Runtime.releaseObjectGroup", { objectGroup: "bench" })
      return Number(value)
    },
    close: () => socket.close()
  }
}
