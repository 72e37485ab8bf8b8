import { Clock, Context, Effect, FileSystem, Layer, Path, type Scope, Stdio, Terminal } from "effect"
import {
  Etag,
  HttpPlatform,
  HttpRouter,
  HttpServer,
  type HttpServerError,
  type HttpServerRequest,
  type HttpServerResponse
} from "effect/http"
import { ChildProcessSpawner } from "effect/process"

/**
 * All routes as one effect. The context in which a server begins to serve is copied into every request's, a few times over: `serve` needs
 * this service and no other, so that it can be built where none of those behind the routes are seen.
 */
export class Front extends Context.Service<
  Front,
  Effect.Effect<
    HttpServerResponse.HttpServerResponse,
    HttpServerError.HttpServerError,
    HttpServerRequest.HttpServerRequest | Scope.Scope
  >
>()("tidings/http/Front") {}

/**
 * The routes of `HttpRouter.toHttpEffect`, and the clock by which they answer. Ids in paths may be as long as the headers allow (what is too
 * long for the domain is 400, not 404), and `/Send` is not `/send`.
 */
export const layer = <E, R>(routes: Effect.Effect<Front["Service"], E, R>) =>
  Layer.effect(Front, routes).pipe(
    Layer.provide(Layer.succeed(HttpRouter.RouterConfig, { maxParamLength: 16 * 1024, caseSensitive: true })),
    Layer.merge(Layer.effect(Clock.Clock, Clock.Clock))
  )

/** What the platform gives to those who start on it: the routes have found theirs, and who answers a request asks for none of it. */
const withoutPlatform = Context.omit(
  Front,
  HttpServer.HttpServer,
  HttpPlatform.HttpPlatform,
  Etag.Generator,
  ChildProcessSpawner.ChildProcessSpawner,
  FileSystem.FileSystem,
  Path.Path,
  Stdio.Stdio,
  Terminal.Terminal
)

/** Answers the requests of the server at hand. No log line per request: the journal tells what happened. */
export const serve = Layer.effectDiscard(Effect.gen(function*() {
  const front = yield* Front
  const server = yield* HttpServer.HttpServer
  yield* Effect.updateContext(server.serve(front), (context: Context.Context<Scope.Scope>) => withoutPlatform(context))
}))
