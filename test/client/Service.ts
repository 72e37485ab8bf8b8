import * as Directories from "#test/support/Directories.ts"
import * as Ports from "#test/support/Ports.ts"
import * as Served from "#test/support/Served.ts"
import Courier, { APIError } from "@trycourier/courier"
import { assert } from "@effect/vitest"
import { Context, Effect, Layer, Schedule } from "effect"

const secret = "clientclientclientclientclientclientclient"

/** The published client, unmodified, before the server as a user starts it: on embedded storage. */
export class Service extends Context.Service<Service, {
  readonly client: Courier
  /** For what the client has no method for. */
  readonly origin: string
  readonly apiKey: string
}>()("test/client/Service") {}

export const layer = Layer.effect(
  Service,
  Effect.gen(function*() {
    const directory = yield* Directories.withDatabase
    const port = yield* Effect.promise(() => Ports.free())
    yield* Served.at(port, {
      TIDINGS_DATA_DIR: directory,
      TIDINGS_DURABILITY: "process",
      TIDINGS_OUTBOUND_ALLOW: "127.0.0.0/8",
      TIDINGS_BOOTSTRAP_SECRET: secret
    })
    const origin = `http://127.0.0.1:${port}`
    const apiKey = `pk_prod_${secret}`
    return Service.of({ client: new Courier({ apiKey, baseURL: origin, maxRetries: 0 }), origin, apiKey })
  })
)

/** One call of the client; a refused one is a defect, so the test shows it. */
export const ask = <A>(call: (client: Courier) => PromiseLike<A>): Effect.Effect<A, never, Service> =>
  Effect.flatMap(Service, ({ client }) => Effect.promise(async () => await call(client)))

/** The status with which the client's call is refused, as the client's own error tells it. */
export const refusal = (call: (client: Courier) => PromiseLike<unknown>): Effect.Effect<number, never, Service> =>
  Effect.flatMap(Service, ({ client }) =>
    Effect.promise(async () => {
      try {
        await call(client)
      } catch (error) {
        if (!(error instanceof APIError)) throw error
        const body = Object(error.error)
        assert.isString(body.message)
        assert.isString(body.type)
        return Number(error.status)
      }
      return assert.fail("it was not refused")
    }))

/** A call for which the client has no method. */
export const fetched = (method: string, path: string, body?: unknown) =>
  Effect.flatMap(Service, ({ apiKey, origin }) =>
    Effect.promise(async () => {
      const response = await fetch(`${origin}${path}`, {
        method,
        headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      })
      const text = await response.text()
      return { status: response.status, body: text === "" ? undefined : JSON.parse(text) }
    }))

/** Asks again until the answer holds; the test's timeout ends it. */
export const until = <A>(effect: Effect.Effect<A, never, Service>, holds: (answer: A) => boolean) =>
  Effect.repeat(effect, { until: holds, schedule: Schedule.spaced("20 millis") })
