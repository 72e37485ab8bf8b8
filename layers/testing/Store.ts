import type { Database } from "#layers/memory/Database.ts"
import { findMessage, type State } from "#layers/memory/State.ts"
import type { Chance } from "#layers/testing/Chance.ts"
import type { Commit, Incident } from "#layers/testing/History.ts"
import type { Loop, Process } from "#layers/testing/Loop.ts"
import type { MessageId } from "#schemas/MessageId.ts"
import type { Scope } from "#schemas/Scope.ts"
import type { Status } from "#schemas/Status.ts"
import type { Handover } from "#src/delivery/journal/Handover.ts"
import { eachAlone, type Journal, type Step } from "#src/delivery/Journal.ts"
import { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import { Clock, Effect, Exit, HashMap, Option } from "effect"

/** What a commit records of its row, before and after. */
interface Noted {
  readonly status: Status | undefined
  readonly dueAt: number | undefined
}

/** What becomes of a call: answered; refused without effect; or done, with its answer lost. */
type Fate = "served" | "refused" | "unheard"

interface Options {
  readonly loop: Loop
  readonly chance: Chance
  readonly database: Database["Service"]
  /** The probability that an answer is lost after the commit. */
  readonly loses: number
  readonly isDown: () => boolean
  readonly isSlow: () => boolean
  readonly incidents: Array<Incident>
  /** Hears of each commit. */
  readonly noted: () => void
  /** Notifies nodes of new rows in these shards. */
  readonly announce: (shards: ReadonlyArray<number>) => void
}

/** Made once: an error captures the stack where it is made, which is slow. */
const gone = new StoreUnavailable({ cause: "The connection to the store is gone" })

const newest = (state: State, shard: number): number => Option.getOrElse(HashMap.get(state.epochs, shard), () => 0)

/** The part of a commit that a step itself says. */
export const told = ({ attempt, epoch, lifecycle }: Step): Pick<Commit, "attempt" | "epoch" | "event"> => ({
  attempt: attempt === undefined ? undefined : { number: attempt.number, state: attempt.state },
  epoch,
  event: lifecycle.length === 0 ? undefined : lifecycle.join()
})

/**
 * The one store of a world, reached over a network: a call takes time, may be refused, and its answer may be lost after
 * the commit.
 */
export const make = (options: Options) => {
  const { chance, database, loop } = options
  const commits: Array<Commit> = []
  const { clock } = loop.process("store")

  const latency = () => chance.happens(options.isSlow() ? 1 : 0.01) ? chance.int(100, 3_000) : chance.int(1, 12)
  const fate = (): Fate => options.isDown() ? "refused" : chance.happens(options.loses) ? "unheard" : "served"
  const look = <A>(f: (state: State) => A): A => f(database.committed())
  const row = (scope: Scope, id: MessageId) => look((state) => findMessage(state, scope, id))

  const note = (
    commit: Omit<Commit, "at" | "wall" | "newest" | "after" | "before" | "dueAt" | "lost">,
    before: Noted | undefined,
    after: Noted | undefined
  ): Commit => {
    const noted: Commit = {
      ...commit,
      at: loop.now(),
      wall: loop.wall(),
      newest: look((state) => newest(state, commit.shard)),
      before: before?.status,
      after: after?.status,
      dueAt: after?.dueAt,
      lost: false
    }
    commits.push(noted)
    options.noted()
    loop.trace(`${commit.kind} ${commit.messageId} ${commit.result} ${noted.after} ${noted.dueAt}`)
    return noted
  }

  /**
   * Sends a call to the store, which runs it as one atomic step when it arrives, even if the asker is dead by then.
   * `noted` runs the call and records its commit.
   */
  const ask = <A, E>(
    asker: Process,
    question: Effect.Effect<A, E>,
    noted: (answer: () => Exit.Exit<A, E>) => readonly [Exit.Exit<A, E>, Commit | undefined] = (answer) => [
      answer(),
      undefined
    ]
  ): Effect.Effect<A, E | StoreUnavailable> =>
    Effect.callback((resume) => {
      const answer = (exit: Exit.Exit<A, E | StoreUnavailable>) =>
        loop.after(latency(), () => asker.post(() => resume(exit)))
      loop.after(latency(), () => {
        const becomes = fate()
        if (becomes === "refused") return answer(Exit.fail(gone))
        const [exit, commit] = noted(() => Effect.runSyncExit(Effect.provideService(question, Clock.Clock, clock)))
        if (becomes === "served") return answer(exit)
        if (commit !== undefined) commit.lost = true
        const at = loop.now()
        options.incidents.push({ kind: "lostAnswer", node: asker.name, at, until: at, drawn: undefined })
        return answer(Exit.fail(gone))
      })
    })

  /** `ask` for what a node mostly remembers: no time passes, and it fails as often. */
  const recall = <A, E>(question: Effect.Effect<A, E>): Effect.Effect<A, E | StoreUnavailable> =>
    Effect.suspend((): Effect.Effect<A, E | StoreUnavailable> => fate() === "served" ? question : gone)

  const record = (asker: Process, journal: Journal["Service"]) => (step: Step) =>
    ask(asker, journal.record(step), (answer) => {
      const { id, scope, shard } = step.message
      const before = row(scope, id)
      const exit = answer()
      const result = Exit.isSuccess(exit) ? exit.value._tag : "Refused"
      const place = { node: asker.name, scope, messageId: id, shard }
      return [
        exit,
        note(
          { ...place, ...told(step), kind: "step", result },
          before,
          row(scope, id)
        )
      ]
    })

  const observe = (asker: Process, journal: Journal["Service"]): Journal["Service"]["observe"] => (observed) =>
    ask(asker, journal.observe(observed), (answer) => {
      const { event, id, scope } = observed
      const before = row(scope, id)
      const exit = answer()
      const after = row(scope, id)
      const place = { node: asker.name, scope, messageId: id, shard: after?.shard ?? -1 }
      const result = Exit.isSuccess(exit) && exit.value.applied ? "Written" : "Refused"
      if (after?.dueAt !== undefined && after.dueAt !== before?.dueAt) options.announce([after.shard])
      return [
        exit,
        note({ ...place, kind: "observe", epoch: undefined, result, attempt: undefined, event }, before, after)
      ]
    })

  /** A node's journal, asked over the simulated network; its writes are recorded as commits. */
  const journalOf = (
    asker: Process,
    journal: Journal["Service"],
    handover: Handover["Service"]
  ): Journal["Service"] => ({
    // It runs in the node, since it hands committed messages over there: only the ways there and back are simulated.
    accept: Effect.fnUntraced(function*(acceptance) {
      yield* Effect.sleep(latency())
      const becomes = fate()
      if (becomes === "refused") return yield* Effect.andThen(Effect.sleep(latency()), gone)
      const accepted = yield* journal.accept(acceptance)
      const result = accepted.replayed ? "Replayed" : "Written"
      for (const { id, scope, shard } of acceptance.messages) {
        const place = { node: asker.name, scope, messageId: id, shard }
        const after = row(scope, id)
        const noted = note(
          { ...place, kind: "accept", epoch: undefined, result, attempt: undefined, event: undefined },
          undefined,
          after
        )
        noted.lost = becomes === "unheard"
      }
      const { expansion } = acceptance
      if (expansion !== undefined) {
        const { id: messageId, scope, shard } = expansion
        const place = { node: asker.name, scope, messageId, shard }
        const noted = note(
          { ...place, kind: "accept", epoch: undefined, result, attempt: undefined, event: undefined },
          undefined,
          { status: undefined, dueAt: 0 }
        )
        noted.lost = becomes === "unheard"
      }
      if (!accepted.replayed) {
        const rows = expansion === undefined ? acceptance.messages : [expansion]
        options.announce(rows.flatMap(({ shard }) => handover.owns(shard) ? [] : [shard]))
      }
      yield* Effect.sleep(latency())
      return becomes === "served" ? accepted : yield* gone
    }),
    record: record(asker, journal),
    observe: observe(asker, journal),
    observeAll: eachAlone(observe(asker, journal)),
    take: (...args) => ask(asker, journal.take(...args)),
    due: (window) => ask(asker, journal.due(window))
  })

  return { announce: options.announce, ask, commits, look, journalOf, note, recall, row }
}

export type Store = ReturnType<typeof make>
