import * as Metrics from "#src/reports/Metrics.ts"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Clock, Context, Effect } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import type { IncomingMessage } from "node:http"

/**
 * Is told of a request as it comes; what it answers, when the request has its answer, of this status, or its caller has
 * left (`undefined`). The route is told by whoever knows it.
 */
export type Measure = (request: Pick<IncomingMessage, "method">) => (status: number | undefined, route?: string) => void

/** By which route those that went the whole way were answered. */
const routes = new WeakMap<object, string>()

/** Notes by which route a request is answered that its server does not know by itself. */
export const by = (request: HttpServerRequest.HttpServerRequest, route: string): void =>
  void routes.set(NodeHttpServerRequest.toIncomingMessage(request), route)

const documented = new Map<string, string>()

/** The path of a route as the reference has it. */
const pathOf = (path: string): string => {
  const known = documented.get(path) ?? path.replaceAll(/:(\w+)/g, "{$1}")
  documented.set(path, known)
  return known
}

/**
 * Is provided to all routes: each notes its path when it is to answer, with the names of its parameters in place of what
 * callers wrote, so that there are no more series than routes.
 */
export const layer = HttpRouter.middleware((answered) =>
  Effect.flatMap(
    HttpRouter.RouteContext,
    ({ route }) =>
      Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
        by(request, pathOf(route.path))
        return answered
      })
  )
).layer

/** What stands for a route that no path has, and for the status of an answer that its caller did not wait for. */
const none = "none"

/**
 * Counts each request that can be read as one, and how long it took, from its headers to the end of its answer, with the
 * clock of this context.
 */
export const measuring = (context: Context.Context<never>): Measure => {
  const clock = Context.get(context, Clock.Clock)
  return (request) => {
    const began = clock.monotonicTimeNanosUnsafe()
    return (answered, route = routes.get(request) ?? none) => {
      const status = answered === undefined ? none : String(answered)
      const seconds = Number(clock.monotonicTimeNanosUnsafe() - began) / 1_000_000_000
      Metrics.requests({ method: request.method ?? none, route, status }).updateUnsafe(seconds, context)
    }
  }
}
