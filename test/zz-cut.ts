import * as TcpProxy from "#test/support/TcpProxy.ts"
import { ready, serve } from "#test/support/MainProcess.ts"
import { freePort } from "#test/support/CrashProcess.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import { Effect, Redacted } from "effect"
await Effect.scoped(Effect.gen(function*() {
  const database = new URL(Redacted.value(yield* FreshDatabase.url))
  const proxy = yield* TcpProxy.start({ host: database.hostname, port: 5432 })
  database.port = String(proxy.port)
  yield* Effect.promise(async () => {
    const port = await freePort()
    const server = serve("node", port, { DATABASE_URL: database.toString(), TIDINGS_CLUSTER_PORT: String(await freePort()), TIDINGS_DATA_DIR: "/tmp/tele/d3", TIDINGS_BOOTSTRAP_SECRET: "operationsoperationsoperationsoperations" })
    void server.ended.then((end) => console.log("ENDED", end))
    await ready(server, port)
    const count: Record<string, number> = {}
    const ask = async (path: string, init = {}) => {
      const r = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { authorization: "Bearer pk_prod_operationsoperationsoperationsoperations", "content-type": "application/json" }, ...init }).then(async (r) => { await r.text(); return String(r.status) }).catch((e) => String(e.cause))
      count[path + " " + r] = (count[path + " " + r] ?? 0) + 1
    }
    const body = JSON.stringify({ message: { to: { user_id: "u" }, content: { title: "t", body: "b" }, routing: { method: "single", channels: ["inbox"] } } })
    for (let round = 0; round < 25; round++) {
      const asks = Array.from({ length: 6 }, () => [ask("/health/ready"), ask("/messages"), ask("/profiles/u"), ask("/send", { method: "POST", body })]).flat()
      await new Promise((r) => setTimeout(r, 5 + Math.random() * 40))
      proxy.cut()
      asks.push(...Array.from({ length: 3 }, () => [ask("/health/ready"), ask("/messages"), ask("/profiles/u"), ask("/send", { method: "POST", body })]).flat())
      await Promise.all(asks)
      proxy.heal()
      for (let i = 0; i < 200; i++) { const r = await fetch(`http://127.0.0.1:${port}/health/ready`); await r.text(); if (r.status === 200) break; await new Promise((r) => setTimeout(r, 20)) }
    }
    console.log(count)
    console.log(server.stdout().split("\n").filter((l) => /Request failed|rash/.test(l)).slice(-3).join("\n"), server.stderr().slice(-3000))
    await server.kill()
  })
})).pipe(Effect.runPromise)
