import * as CannotStart from "#layers/CannotStart.ts"
import * as Worker from "#layers/cluster/Worker.ts"
import * as JsonKeys from "#layers/JsonKeys.ts"
import * as Settings from "#layers/settings/Settings.ts"
import * as Telemetry from "#layers/telemetry/Telemetry.ts"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Cause, Effect, Exit, Layer, Runtime } from "effect"
import process from "node:process"

/** A stop that takes longer than this, in ms, is cut off (design.md §6): the journal holds what is in flight. */
const longestStop = 24_000

/**
 * In ms. One Ctrl-C may reach this process twice, from the terminal and from a launcher: only a signal later than this
 * counts as a second one.
 */
const sameSignal = 500

/**
 * A second signal ends the process at once (reliability.md 2.7); so does a stop that takes too long. A closed terminal
 * (SIGHUP) stops the server too, even under `nohup`: once a process listens to signals, neither Node nor Deno goes on
 * ignoring SIGHUP.
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

/**
 * Keeps the server running when standard output cannot be written, because its reader is gone or the disk is full. It
 * says so once on standard error.
 */
const outliveLog = (): void => {
  let said = false
  process.stderr.on("error", () => undefined)
  process.stdout.on("error", ({ message }) => {
    if (said) return
    said = true
    process.stderr.write(`Cannot write to standard output (${message}): what is logged until the next start is lost\n`)
  })
}

/** Why a program failed, one line per fault, as the message of `BadConfiguration` has them. */
const reasons = <E>(cause: Cause.Cause<E>): ReadonlyArray<string> =>
  cause.reasons.flatMap((reason) =>
    Cause.isInterruptReason(reason)
      ? []
      : CannotStart.sentence(Cause.isFailReason(reason) ? reason.error : reason.defect).split("\n")
  )

const sayWhy = <E>(cause: Cause.Cause<E>): Effect.Effect<void> =>
  Effect.forEach(reasons(cause), (line) => Effect.logFatal(line), { discard: true })

/** The exit code of a program that failed (`ExitCode`), or came to its end or was told to stop: 0. */
const codeOf = <A, E>(exit: Exit.Exit<A, E>): number =>
  Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause)
    ? Runtime.getErrorExitCode(Cause.squash(exit.cause))
    : 0

/** Warns of settings that do not exist. The server does so, for its workers too. */
const sayMisspelt = Effect.suspend(() =>
  Effect.forEach(
    Settings.misspelt(Object.keys(process.env)),
    (name) => Effect.logWarning(`${name} is no setting of Tidings and changes nothing`),
    { discard: true }
  )
)

/** Who gives an argument wants it heeded, and not a server that goes its own way, with keys that are shown this once. */
const refuseArguments = Effect.suspend(() =>
  process.argv.length > 2
    ? new Settings.BadConfiguration({
      message: "the server takes no arguments: its settings are variables of the environment (layers/README.md)"
    })
    : Effect.void
)

/** The first thing of a stop, for whoever waits for its end: `stopped`, or the silence of one that was cut off. */
const sayStopping = Layer.effectDiscard(
  Effect.addFinalizer(() =>
    Effect.logInfo("stopping: what is under way comes to its end; a second signal ends it at once")
  )
)

/**
 * Runs an engine worker. It receives no signals: its server tells it when to stop. Why it fails, it tells its server.
 * `process.exit` ends only its own thread.
 */
const work = <E>(number: number, program: Effect.Effect<void, E>): void => {
  Effect.runFork(
    Effect.raceFirst(program, Worker.stopped).pipe(
      Effect.tapCause((cause) => Worker.failed(reasons(cause))),
      Effect.provideService(Settings.WorkerNumber, number),
      Effect.annotateLogs("worker", number)
    )
  ).addObserver((exit) => process.exit(codeOf(exit)))
}

/**
 * Runs a server until it is told to stop: SIGTERM, SIGINT and SIGHUP drain it and exit 0. A start that fails says why
 * in one line per fault and exits with the error's code (`ExitCode`); so does one with arguments. In a worker thread of
 * a server, runs that worker instead.
 */
export const main = <E>(app: Layer.Layer<never, E, Settings.Settings>): void => {
  JsonKeys.install()
  const launch = (layer: typeof app) => Effect.provide(Layer.launch(layer), Settings.layer)
  if (Worker.given !== undefined) {
    return work(Worker.given.tidingsWorker, Effect.provide(launch(app), Telemetry.layer))
  }
  watchSignals()
  outliveLog()
  const program = refuseArguments.pipe(
    Effect.andThen(sayMisspelt),
    Effect.andThen(launch(Layer.provide(sayStopping, app))),
    Effect.tapCause((cause) => Cause.hasInterruptsOnly(cause) ? Effect.void : sayWhy(cause)),
    Effect.onInterrupt(() => Effect.logInfo("stopped")),
    Effect.provide(Telemetry.layer)
  )
  NodeRuntime.runMain(program, {
    disableErrorReporting: true,
    teardown: (exit, onExit) => onExit(codeOf(exit))
  })
}
