import * as Front from "#layers/http/Front.ts"
import * as KnownCallers from "#layers/http/KnownCallers.ts"
import * as PlainSends from "#layers/http/plain/PlainSends.ts"
import * as Routes from "#layers/http/Routes.ts"
import * as Admission from "#src/access/Admission.ts"
import type { ApiKeys } from "#src/access/ApiKeys.ts"
import type { Idempotency } from "#src/access/Idempotency.ts"
import type { RateLimits } from "#src/access/RateLimits.ts"
import type { ProviderConfigurations } from "#src/delivery/providers/ProviderConfigurations.ts"
import type { Audiences } from "#src/people/Audiences.ts"
import { makeState, type State } from "#test/layers/http/State.ts"
import { layer as stores } from "#test/layers/http/Stores.ts"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { type Duration, Effect, Layer, References } from "effect"
import { HttpRouter, HttpServer } from "effect/http"

/** A request to the server of a test; `body` is sent as JSON unless it is a string, which is sent as it is. */
export interface Call {
  readonly key?: string | null
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly body: unknown
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const call = (origin: string) => (method: string, path: string, { body, headers, key = "pk_prod_a" }: Call = {}) =>
  Effect.promise(async (): Promise<Answer> => {
    const response = await fetch(`${origin}${path}`, {
      method,
      headers: {
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers
      },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) })
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, text, body: parsed(text) }
  })

/** The short way of plain sends, which counts those that it takes. */
const counting = (counted: { taken: number }) =>
  Layer.effect(
    PlainSends.PlainSends,
    Effect.map(PlainSends.PlainSends, ({ taking }) => ({
      taking: (context) => {
        const take = taking(context)
        return (send) => {
          const isTaken = take(send)
          if (isTaken) counted.taken++
          return isTaken
        }
      }
    }))
  ).pipe(Layer.provide(PlainSends.layer))

/**
 * The routes on a port of their own, before doubles of the stores; `others` stand in for some of these. `plain` counts
 * the sends that went the short way. When it stops it waits for `patience` for the requests under way.
 */
export const serveWith = Effect.fnUntraced(function*(
  others:
    | Layer.Layer<never>
    | Layer.Layer<Admission.Admission>
    | Layer.Layer<ApiKeys>
    | Layer.Layer<Audiences>
    | Layer.Layer<Idempotency>
    | Layer.Layer<ProviderConfigurations>
    | Layer.Layer<RateLimits>,
  patience: Duration.Input = 0
) {
  const state: State = makeState()
  const plain = { taken: 0 }
  const context = yield* Layer.build(
    Front.serve.pipe(
      Layer.provideMerge(Front.server({ port: 0, host: "127.0.0.1", gracefulShutdownTimeout: patience })),
      Layer.provide([Front.layer(HttpRouter.toHttpEffect(Routes.layer)), counting(plain)]),
      Layer.provide(KnownCallers.layer),
      Layer.provide(NodeHttpServer.layerHttpServices),
      Layer.provide(Layer.mergeAll(stores(state), Admission.layer).pipe(Layer.merge(others))),
      // As without an exporter: traced requests all go the whole way.
      Layer.provide(Layer.succeed(References.TracerEnabled, false))
    )
  )
  const origin = yield* HttpServer.addressFormattedWith(Effect.succeed).pipe(Effect.provideContext(context))
  return { call: call(origin), origin, plain, state }
})

export const serve = serveWith(Layer.empty)

/** A body of POST /send. */
export const message = (to: unknown = { user_id: "ada" }, more: object = {}) => ({
  message: { to, content: { title: "Hello", body: "Hi" }, ...more }
})
