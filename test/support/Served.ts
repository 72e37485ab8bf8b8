import { ready, type Running, serve } from "#test/support/MainProcess.ts"
import { Effect, type Scope } from "effect"

/** The server on Node at this port, ready, with these variables and no others of ours; it is killed when the scope ends. */
export const at = (
  port: number,
  environment: Readonly<Record<string, string>>
): Effect.Effect<Running, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => serve("node", port, environment)),
    ({ kill }) => Effect.promise(kill)
  ).pipe(Effect.tap((server) => Effect.promise(() => ready(server, port))))
