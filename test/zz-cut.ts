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
    for (const fault of ["cut", "freeze"] as const) {
      proxy[fault]()
      for (let i = 0; i < 6; i++) {
        const t = performance.now()
        const r = await fetch(`http://127.0.0.1:${port}/health/ready`).then(async (r) => `${r.status} ${await r.text()}`).catch((e) => String(e.cause))
        console.log(fault, Math.round(performance.now() - t), r)
        await new Promise((r) => setTimeout(r, 500))
      }
      proxy.heal()
      for (let i = 0; i < 12; i++) {
        const r = await fetch(`http://127.0.0.1:${port}/health/ready`).then(async (r) => `${r.status} ${await r.text()}`).catch((e) => String(e.cause))
        console.log("healed", r)
        await new Promise((r) => setTimeout(r, 500))
      }
    }
    console.log(server.stdout().slice(-6000), server.stderr().slice(-3000))
    await server.kill()
  })
})).pipe(Effect.runPromise)
