import { delivery, play, replying } from "#test/contracts/VendorRow.ts"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Effect } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import * as VendorRun from "./VendorRun.ts"

const { inFlight, origin, row } = VendorRun

/** Headers that the client writes itself. */
const own = new Set(["host", "connection", "content-length"])

/** The requests that the provider sends for a message once it holds its tokens. */
const recorded = Effect.gen(function*() {
  const { server, vendor } = yield* play(row, replying(row), 15_000)
  yield* vendor.send(delivery(row))
  const warm = server.seen.length
  yield* vendor.send(delivery(row))
  return server.seen.slice(warm)
}).pipe(Effect.scoped)

/** undici reads `useH2c`, though its types here do not know it. */
const h2c = { connections: 4, allowH2: true, useH2c: true }
const pool = NodeHttpClient.layerUndiciOptions(
  row.http2 === true
    ? h2c
    : { connections: inFlight, pipelining: 1, allowH2: false }
)

// The same requests over effect/http's client and the same pool, without building a request or reading an answer.
await Effect.gen(function*() {
  const client = yield* HttpClient.HttpClient
  const requests = (yield* recorded).map(({ body, headers, method, path }) => {
    const sent = Object.fromEntries(
      Object.entries(headers).filter(([name]) => !own.has(name) && !name.startsWith(":"))
    )
    const url = `${origin}${path}`
    return method === "GET"
      ? HttpClientRequest.get(url, { headers: sent })
      : HttpClientRequest.post(url, { headers: sent }).pipe(
        HttpClientRequest.bodyText(body, headers["content-type"] ?? "application/json")
      )
  })
  const send = Effect.forEach(requests, (request) => Effect.flatMap(client.execute(request), ({ text }) => text), {
    discard: true
  })
  yield* Effect.promise(() =>
    VendorRun.measure((count) =>
      Effect.runPromise(
        Effect.forEach(Array.from({ length: count }), () => send, { concurrency: inFlight, discard: true })
      )
    )
  )
}).pipe(Effect.provide(pool), Effect.runPromise)
