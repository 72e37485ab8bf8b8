import * as CannotStart from "#layers/CannotStart.ts"
import * as Worker from "#layers/cluster/Worker.ts"
import * as Settings from "#layers/settings/Settings.ts"
import * as Telemetry from "#layers/telemetry/Telemetry.ts"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Cause, Effect, Exit, Layer } from "effect"
import process from "node:process"

/** A stop that takes longer than this is cut, in ms (design.md §6): what is in flight is in the journal. */
const longestStop = 24_000

/** One Ctrl-C may reach us twice, from the terminal and from a launcher: only a signal later than this, in ms, is a second one. */
const sameSignal = 500

/**
 * A second signal ends the process at once (reliability.md 2.7), as a stop that takes too long does. A terminal that is closed is a stop
 * too, also under `nohup`: neither runtime leaves a hang-up ignored once it listens to signals.
 */
const watchSignals = (): void => {
  process.on("SIGHUP", () => process.emit("SIGTERM", "SIGTERM"))
  let stopping = false
  let impatient = false
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.on(signal, () => {
      if (impatient) process.exit(1)
      if (stopping) return
      stopping = true
      setTimeout(() => {
        impatient = true
      }, sameSignal).unref()
      setTimeout(() => process.exit(0), longestStop).unref()
    })
  }
}

/** A server whose log nobody can read any more, or whose log's disk is full, serves on without it, and says so where it still can. */
const outliveLog = (): void => {
  let said = false
  process.stderr.on("error", () => undefined)
  process.stdout.on("error", ({ message }) => {
    if (said) return
    said = true
    process.stderr.write(`Cannot write to standard output (${message}): what is logged until the next start is lost\n`)
  })
}

/** One line per fault, as `BadConfiguration` has them. */
const sayWhy = <E>(cause: Cause.Cause<E>): Effect.Effect<void> =>
  Effect.forEach(
    cause.reasons.flatMap((reason) =>
      Cause.isInterruptReason(reason)
        ? []
        : CannotStart.sentence(Cause.isFailReason(reason) ? reason.error : reason.defect).split("\n")
    ),
    (line) => Effect.logFatal(line),
    { discard: true }
  )

/** Once, by the server, for all its workers. */
const sayMisspelt = Effect.suspend(() =>
  Effect.forEach(
    Settings.misspelt(Object.keys(process.env)),
    (name) => Effect.logWarning(`${name} is no setting of Tidings and changes nothing`),
    { discard: true }
  )
)

/** An engine worker hears no signals: its server tells it when to stop. Its exit ends its thread alone. */
const work = <E>(number: number, program: Effect.Effect<void, E>): void => {
  Effect.runFork(
    Effect.raceFirst(program, Worker.stopped).pipe(
      Effect.provideService(Settings.WorkerNumber, number),
      Effect.annotateLogs("worker", number)
    )
  ).addObserver((exit) => process.exit(Exit.isFailure(exit) ? 1 : 0))
}

/**
 * Runs a server until it is told to stop: SIGTERM, SIGINT and SIGHUP drain it and exit 0. A start that fails says why in one line per fault and
 * exits 1. In a worker of a server it runs that worker.
 */
export const main = <E>(app: Layer.Layer<never, E, Settings.Settings>): void => {
  const program = (Worker.number === undefined ? sayMisspelt : Effect.void).pipe(
    Effect.andThen(Layer.launch(app)),
    Effect.provide(Settings.layer),
    Effect.tapCause((cause) => Cause.hasInterruptsOnly(cause) ? Effect.void : sayWhy(cause)),
    Effect.provide(Telemetry.layer)
  )
  if (Worker.number !== undefined) return work(Worker.number, program)
  watchSignals()
  outliveLog()
  NodeRuntime.runMain(program, {
    disableErrorReporting: true,
    teardown: (exit, onExit) => onExit(Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause) ? 1 : 0)
  })
}
