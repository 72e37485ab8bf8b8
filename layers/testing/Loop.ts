import type { Chance } from "#layers/testing/Chance.ts"
import * as Timers from "#layers/testing/Timers.ts"
import { Clock, Context, Duration, Effect, type Fiber, Random, References, Scheduler } from "effect"

type Task = () => void

/** One process of a simulated world: its fibers run only here, and only while it is alive and not frozen. */
export interface Process {
  readonly name: string
  /** Queues a task, which the process runs when its turn comes; never once it is dead. */
  readonly post: (task: Task) => void
  /** Starts an effect with the scheduler, the clock and the randomness of this world. */
  readonly run: <A, E>(effect: Effect.Effect<A, E>) => Fiber.Fiber<A, E>
  /** Stops it in the middle of whatever it does, as SIGSTOP; `thaw` lets it go on from there. */
  readonly freeze: () => void
  readonly thaw: () => void
  /** Ends it as SIGKILL: none of its fibers moves again, and no finalizer runs. */
  readonly kill: () => void
  readonly isAlive: () => boolean
  readonly isFrozen: () => boolean
  readonly clock: Clock.Clock
  /** How many of its tasks still wait for their turn, and of its fibers for the clock. */
  readonly pending: () => number
  /** When it last ran a task, in ms since the world began. */
  readonly moved: () => number
  /** How many tasks it has run. */
  readonly steps: () => number
  /** How many it had run when the oldest sleep began that its fibers are in; `Infinity` if none of them sleeps. */
  readonly asleep: () => number
}

/**
 * How a run of the loop ended. `done`: its condition came true. `idle`: nothing was left to do (until its time limit).
 * `endless`: it took more steps than a world may.
 */
export type Ending = "done" | "idle" | "endless"

/**
 * The event loop of a simulated world. All processes run on it: it picks the next task by the seed, and when no task is
 * left it moves time on to the next timer.
 */
export interface Loop {
  /** Ms since the world began; never goes back. */
  readonly now: () => number
  /** The wall clock of every process, in epoch ms. */
  readonly wall: () => number
  /** Sets the wall clock forward or back. Sleeps and monotonic time are not affected. */
  readonly jump: (ms: number) => void
  readonly after: (ms: number, task: Task) => void
  readonly process: (name: string) => Process
  /**
   * Runs until `isDone`, which is asked each time no task is left to do at the current time. `until`: the time limit,
   * in ms since the world began.
   */
  readonly run: (isDone: () => boolean, until?: number) => Ending
  /** Whether it has taken more steps than a world of its age may. */
  readonly isEndless: () => boolean
  /** Adds a fact to the hash by which two runs are compared. */
  readonly trace: (fact: string) => void
  readonly hash: () => string
}

/** A world that takes more steps than this, and those of its time, is taken to loop for ever. */
const mostSteps = 2_000_000

/** How many more it may take for each ms of its time: nodes with nothing to do take steps too, 0.55 each in a second. */
const mostPerMs = 0.01

export const make = (chance: Chance, epoch: number): Loop => {
  const ready: Array<{ readonly owner: { readonly take: (task: Task) => void }; readonly task: Task }> = []
  const timers = Timers.make<Task>()
  let now = 0
  let shift = 0
  let steps = 0
  let hash = 0

  const trace = (fact: string) => {
    for (let n = 0; n < fact.length; n++) hash = Math.imul(hash, 31) + fact.charCodeAt(n) | 0
  }
  const wall = () => epoch + now + shift

  const process = (name: string): Process => {
    let state: "running" | "frozen" | "dead" = "running"
    let held: Array<Task> = []
    const sleeps = new Set<{ readonly since: number }>()
    let queued = 0
    let moved = 0
    let taken = 0
    const owner = {
      take: (task: Task) => {
        if (state === "frozen") held.push(task)
        if (state !== "running") return
        queued--
        taken++
        moved = now
        task()
      }
    }
    const post = (task: Task) => {
      if (state === "dead") return
      queued++
      ready.push({ owner, task })
    }
    const dispatcher: Scheduler.SchedulerDispatcher = { scheduleTask: post, flush: () => undefined }
    const scheduler: Scheduler.Scheduler = {
      executionMode: "async",
      shouldYield: (fiber) => fiber.currentOpCount >= fiber.cache.maxOpsBeforeYield,
      makeDispatcher: () => dispatcher
    }
    const sleep = (duration: Duration.Duration): Effect.Effect<void> => {
      // Rounded up, since this world's clocks count whole ms: a sleep must not end early.
      const ms = Math.ceil(Duration.toMillis(duration))
      if (ms <= 0) return Effect.yieldNow
      if (!Number.isFinite(ms)) return Effect.never
      return Effect.callback((resume) => {
        const asleep = { since: taken }
        sleeps.add(asleep)
        const timer = timers.add(now + ms, () => {
          sleeps.delete(asleep)
          post(() => resume(Effect.void))
        })
        return Effect.sync(() => {
          if (timers.cancel(timer)) sleeps.delete(asleep)
        })
      })
    }
    const monotonic = () => BigInt(now) * 1_000_000n
    const clock: Clock.Clock = {
      currentTimeMillisUnsafe: wall,
      currentTimeMillis: Effect.sync(wall),
      currentTimeNanosUnsafe: () => BigInt(wall()) * 1_000_000n,
      currentTimeNanos: Effect.sync(() => BigInt(wall()) * 1_000_000n),
      monotonicTimeNanosUnsafe: monotonic,
      monotonicTimeNanos: Effect.sync(monotonic),
      sleep
    }
    const services = Context.empty().pipe(
      Context.add(Scheduler.Scheduler, scheduler),
      Context.add(Clock.Clock, clock),
      Context.add(References.TracerEnabled, false),
      Context.add(Random.Random, {
        nextDoubleUnsafe: chance.next,
        nextIntUnsafe: () => chance.int(Number.MIN_SAFE_INTEGER / 2, Number.MAX_SAFE_INTEGER / 2)
      })
    )
    return {
      name,
      post,
      run: Effect.runForkWith(services),
      freeze: () => {
        if (state === "running") state = "frozen"
      },
      thaw: () => {
        if (state !== "frozen") return
        state = "running"
        const tasks = held
        held = []
        for (const task of tasks) ready.push({ owner, task })
      },
      kill: () => {
        state = "dead"
        held = []
      },
      isAlive: () => state !== "dead",
      isFrozen: () => state === "frozen",
      clock,
      pending: () => queued + sleeps.size,
      moved: () => moved,
      steps: () => taken,
      asleep: () => sleeps.values().next().value?.since ?? Infinity
    }
  }

  /** Runs one of the ready tasks, picked by the seed. */
  const step = (): boolean => {
    const last = ready.pop()
    if (last === undefined) return false
    const index = chance.int(0, ready.length)
    const next = ready[index] ?? last
    if (index < ready.length) ready[index] = last
    steps++
    next.owner.take(next.task)
    return true
  }

  const isEndless = () => steps > mostSteps + now * mostPerMs

  return {
    now: () => now,
    wall,
    jump: (ms) => {
      shift += ms
    },
    after: (ms, task) => {
      timers.add(now + Math.ceil(ms), task)
    },
    process,
    run: (isDone, until = Infinity) => {
      while (true) {
        while (step()) if (isEndless()) return "endless"
        if (isDone()) return "done"
        const at = timers.next()
        if (at === undefined || at > until) return "idle"
        now = at
        while (timers.next() === now) timers.take()?.()
      }
    },
    isEndless,
    trace,
    hash: () => (hash >>> 0).toString(16).padStart(8, "0")
  }
}
