import * as VendorHttp from "#layers/providers/VendorHttp.ts"
import * as Rows from "#test/layers/providers/rows/All.ts"
import { configure, delivery, settingsAt } from "#test/contracts/VendorRow.ts"
import { Effect, Clock } from "effect"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { HttpClientRequest, HttpBody, HttpClient } from "effect/http"
import Undici from "undici"
import { fork } from "node:child_process"
import { createServer } from "node:http"
if (process.argv[2] === "server") {
  const answers = JSON.parse(process.argv[3]!)
  createServer((req, res) => { req.resume(); req.on("end", () => { const a = answers[req.url!.split("?")[0]!] ?? answers["*"]; res.writeHead(a.status, a.headers ?? {}); res.end(a.body ?? "") }) }).listen(0, "127.0.0.1", function(this: any) { process.send!(this.address().port) })
} else {
const N = 6000, C = 32
const only = process.argv[2]
for (const row of Rows.all) {
  if (row.http2 || (only && row.entry.key !== only)) continue
  const child = fork(process.argv[1]!, ["server", JSON.stringify({ ...row.before, "*": row.success })])
  const port = await new Promise<number>((r) => child.once("message", (p) => r(p as number)))
  const origin = `http://127.0.0.1:${port}`
  const run = (one: Effect.Effect<unknown, any>) => Effect.gen(function*(){
    yield* Effect.forEach(Array.from({length: 1500}), () => one, { concurrency: C, discard: true })
    const t = yield* Clock.monotonicTimeNanos
    yield* Effect.forEach(Array.from({length: N}), () => one, { concurrency: C, discard: true })
    return N / (Number((yield* Clock.monotonicTimeNanos) - t) / 1e9)
  })
  const body = JSON.stringify(row.request.body)
  const out = await Effect.runPromise(Effect.scoped(Effect.gen(function*(){
    const http = yield* VendorHttp.make({ deadlineMs: 10000 })
    const vendor = yield* configure(row, settingsAt(row, origin)).pipe(Effect.provideService(VendorHttp.VendorHttp, http))
    const agent = yield* NodeHttpClient.makeDispatcherOptions({ connections: 64, allowH2: false })
    const client = yield* Effect.provideService(NodeHttpClient.makeUndici, NodeHttpClient.Dispatcher, agent)
    const effectBare = Effect.suspend(() => client.execute(HttpClientRequest.post(origin + "/x", { headers: { authorization: "Bearer x" }, body: HttpBody.text(body, "application/json") }))).pipe(Effect.flatMap((r) => r.text))
    const raw = new Undici.Agent({ connections: 64, allowH2: false })
    const undiciBare = Effect.promise(() => raw.request({ origin, path: "/x", method: "POST", headers: { "content-type": "application/json", authorization: "Bearer x" }, body }).then((r) => r.body.text()))
    const vs = [], es = [], us = []
    for (let i=0;i<3;i++) {
    vs.push(yield* run(vendor.send(delivery(row))))
    es.push(yield* run(effectBare))
    us.push(yield* run(undiciBare)) }
    const med = (a: number[]) => a.sort((x,y)=>x-y)[1]!
    return { vendor: Math.round(med(vs)), effect: Math.round(med(es)), undici: Math.round(med(us)) }
  })))
  console.log(row.entry.key, out, (out.vendor/out.effect).toFixed(2), (out.vendor/out.undici).toFixed(2))
  child.kill()
}
process.exit(0)
}
