import * as Settings from "#layers/settings/Settings.ts"
import * as Telemetry from "#layers/telemetry/Telemetry.ts"
import { NodeRuntime } from "@effect/platform-node"
import { Cause, Effect, Exit, Layer } from "effect"
import process from "node:process"

/** A stop that takes longer than this is cut, in ms (design.md §6): what is in flight is in the journal. */
const longestStop = 24_000

/**
 * Runs a server until it is told to stop: SIGTERM and SIGINT drain it and exit 0. A start that fails says why in one line per fault and
 * exits 1.
 */
export const main = <E>(app: Layer.Layer<never, E, Settings.Settings>): void => {
  const program = Layer.launch(app).pipe(
    Effect.provide(Settings.layer),
    Effect.tapCause((cause) =>
      Cause.hasInterruptsOnly(cause)
        ? Effect.void
        : Effect.logFatal(Cause.prettyErrors(cause).map((error) => error.message).join("\n"))
    ),
    Effect.provide(Telemetry.layer)
  )
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.once(signal, () => setTimeout(() => process.exit(0), longestStop).unref())
  }
  NodeRuntime.runMain(program, {
    disableErrorReporting: true,
    teardown: (exit, onExit) => onExit(Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause) ? 1 : 0)
  })
}
