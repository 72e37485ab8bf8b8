import type { Said } from "#layers/mjml/Worker.ts"
import { limits, Mjml, MjmlRefused } from "#src/content/Mjml.ts"
import * as Turns from "#src/fibers/Turns.ts"
import { Cache, Deferred, Effect, Exit, Fiber, Layer, Option, RcRef, Scope } from "effect"
import { Worker } from "node:worker_threads"

/** The worker's heap. The compiler is some 40 MB of code, and a source of a few kB can expand without end. */
const heapMb = 192

/** How long loading the compiler may take: it is a second on an idle core. */
const loading = "60 seconds"

/** How many pages are kept, and the longest of them: a send to many may compile one source for each of its mails. */
const keeps = { pages: 64, characters: 262_144 } as const

const refused = (detail: string) => new MjmlRefused({ detail })

const words = (fault: string): string => fault.replaceAll(/[\u0000-\u001f\u007f]+/g, " ").slice(0, 200)

interface Compiler {
  readonly ask: (source: string) => Effect.Effect<Said, MjmlRefused>
  /** Whether its worker still runs. One that ends between two sources fails nobody's. */
  readonly isAlive: () => boolean
}

/** Starts a worker and waits until it has loaded the compiler; it is terminated when the scope closes. */
const spawn: Effect.Effect<Compiler, MjmlRefused, Scope.Scope> = Effect.gen(
  function*() {
    let heard = Deferred.makeUnsafe<Said, MjmlRefused>()
    let isAlive = true
    const gone = () => {
      isAlive = false
      Deferred.doneUnsafe(heard, Effect.fail(refused("The MJML takes more memory than it may")))
    }
    const worker = yield* Effect.acquireRelease(
      Effect.sync(() => {
        const worker = new Worker(new URL("./Worker.ts", import.meta.url), {
          resourceLimits: { maxOldGenerationSizeMb: heapMb },
          // The worker gets nothing of this process's environment, which holds secrets (P9), nor of its arguments.
          env: {},
          argv: [],
          execArgv: []
        })
        worker.on("message", (said: Said) => Deferred.doneUnsafe(heard, Effect.succeed(said)))
        worker.on("error", gone)
        worker.on("exit", gone)
        return worker
      }),
      (worker) => Effect.promise(() => worker.terminate())
    )
    yield* Deferred.await(heard).pipe(
      Effect.timeoutOrElse({
        duration: loading,
        orElse: () => Effect.fail(refused("The MJML compiler does not start"))
      })
    )
    return {
      ask: (source) => {
        heard = Deferred.makeUnsafe()
        // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker thread has no origin
        worker.postMessage(source)
        return Deferred.await(heard)
      },
      isAlive: () => isAlive
    }
  }
)

/**
 * One worker, started when it is first needed and stopped after a minute without work. It compiles one source at a
 * time, each in its turn, and the last pages are kept.
 */
export const layer = Layer.effect(
  Mjml,
  Effect.gen(function*() {
    const workers = yield* RcRef.make({ acquire: spawn, idleTimeToLive: "1 minute" })
    const { inTurn } = Turns.make(1)
    const scope = yield* Scope.Scope

    /** The worker that is kept, or another in the place of one that ended since. */
    const living = Effect.gen(function*() {
      const kept = yield* RcRef.get(workers)
      if (kept.isAlive()) return kept
      yield* RcRef.invalidate(workers)
      return yield* RcRef.get(workers)
    })

    const run = Effect.fnUntraced(function*(source: string) {
      const { ask } = yield* living
      const said = yield* ask(source).pipe(
        Effect.timeoutOrElse({
          duration: limits.time,
          orElse: () => Effect.fail(refused(`The MJML takes more than ${limits.time} ms`))
        }),
        // A worker that failed or did not answer is not used again.
        Effect.onError(() => RcRef.invalidate(workers))
      )
      if (said._tag !== "Html")
        return yield* refused(`The MJML is malformed: ${said._tag === "Fault" ? words(said.fault) : ""}`)
      if (said.html.length > limits.output) {
        return yield* refused(`The MJML renders to more than ${limits.output} characters of HTML`)
      }
      return said.html
    }, Effect.scoped)

    const pages = yield* Cache.makeWith(run, {
      capacity: keeps.pages,
      timeToLive: (exit) => Exit.isSuccess(exit) && exit.value.length <= keeps.characters ? "1 day" : 0
    })

    // Work that has begun goes on without its caller. An API call waits two seconds, and on a busy machine the worker's
    // start alone takes longer: if the worker stopped with each caller, it would never be ready for the next.
    const compiled = Effect.fnUntraced(function*(source: string, turn: Turns.Turn) {
      let begun = false
      const work = Effect.suspend(() => {
        begun = true
        // Looked up here again: of equal sources that waited together only the first is compiled.
        return Cache.get(pages, source)
      })
      const fiber = yield* Effect.forkIn(inTurn(turn)(work), scope)
      return yield* Effect.onInterrupt(Fiber.join(fiber), () => begun ? Effect.void : Fiber.interrupt(fiber))
    })

    return Mjml.of({
      compile: (source, turn) =>
        source.length > limits.source
          ? Effect.fail(refused(`The MJML is longer than ${limits.source} characters`))
          : Effect.flatMap(
            Cache.getSuccess(pages, source),
            (page) => Option.isSome(page) ? Effect.succeed(page.value) : compiled(source, turn)
          )
    })
  })
)
