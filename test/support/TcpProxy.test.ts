import * as TcpProxy from "#test/support/TcpProxy.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { once } from "node:events"
import { connect, createServer, type Socket } from "node:net"

const echo = Effect.acquireRelease(
  Effect.promise(async () => {
    const server = createServer((socket) => socket.on("error", () => undefined).pipe(socket)).listen(0, "127.0.0.1")
    await once(server, "listening")
    return server
  }),
  (server) => Effect.sync(() => server.close())
)

const proxied = Effect.gen(function*() {
  const address = (yield* echo).address()
  return yield* TcpProxy.start({
    host: "127.0.0.1",
    port: typeof address === "object" && address !== null ? address.port : 0
  })
})

const client = async (port: number): Promise<Socket> => {
  const socket = connect(port, "127.0.0.1").setEncoding("utf8").on("error", () => undefined)
  await once(socket, "connect")
  return socket
}

/** `once` would reject at the error that goes before. */
const closed = (socket: Socket): Promise<void> =>
  new Promise((resolve) => {
    socket.on("error", () => undefined).once("close", () => resolve())
  })

const said = async (socket: Socket, text: string): Promise<unknown> => {
  const [answer] = await Promise.all([once(socket, "data"), Promise.resolve(socket.write(text))])
  return answer[0]
}

describe("TcpProxy", () => {
  it.live("passes bytes, resets what is open when cut, and passes again when healed", () =>
    Effect.gen(function*() {
      const proxy = yield* proxied
      yield* Effect.promise(async () => {
        const first = await client(proxy.port)
        assert.strictEqual(await said(first, "one"), "one")
        const reset = closed(first)
        proxy.cut()
        await reset
        await closed(connect(proxy.port, "127.0.0.1"))
        proxy.heal()
        const second = await client(proxy.port)
        assert.strictEqual(await said(second, "two"), "two")
        second.destroy()
      })
    }))
  it.live("holds bytes back while frozen and delivers them when healed", () =>
    Effect.gen(function*() {
      const proxy = yield* proxied
      yield* Effect.promise(async () => {
        const old = await client(proxy.port)
        assert.strictEqual(await said(old, "one"), "one")
        proxy.freeze()
        const young = await client(proxy.port)
        const heard: Array<string> = []
        for (const socket of [old, young]) socket.on("data", (text) => heard.push(String(text)))
        old.write("two")
        young.write("three")
        // A round through another connection is time enough for bytes that were let through.
        await client(proxy.port)
        assert.deepStrictEqual(heard, [])
        const both = Promise.all([once(old, "data"), once(young, "data")])
        proxy.heal()
        await both
        assert.sameMembers(heard, ["two", "three"])
        old.destroy()
        young.destroy()
      })
    }))
})
