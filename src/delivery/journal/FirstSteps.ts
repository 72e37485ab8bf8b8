import type { MessageId } from "#schemas/MessageId.ts"
import type { Step, StepResult } from "#src/delivery/Journal.ts"
import * as Lifecycle from "#src/delivery/Lifecycle.ts"
import { Context, Duration, Effect, Latch, Layer, type Scope } from "effect"

/** Who has not come to its first step by then is stored without it: the others have waited long enough. */
const patience = Duration.millis(250)

type Resume = (result: Effect.Effect<StepResult | undefined>) => void

/** Messages that are about to be stored in one commit, with the first steps of those that are begun. */
export interface Gathering {
  /** Begins one, if `start` can: its step is waited for from then on. Not one that another commit is to store. */
  readonly begin: (id: MessageId, start: () => boolean) => boolean
  /** The intents that came, as soon as no more are waited for; who comes later is stored without. */
  readonly intents: Effect.Effect<ReadonlyArray<Step>>
  /**
   * Lets all go on: with the result of the step that was stored with its message, or, where there is none, to write the step by itself. Answers
   * whether all that were begun are still in hand.
   */
  readonly end: (results: ReadonlyMap<MessageId, StepResult>) => boolean
}

/**
 * Messages in hand that are not stored yet. A member of a request to many that can begin at once is begun before its page is written, and the
 * intent of its first call is committed together with the message: two of a message's three writes are one, and its row is not read back.
 * Nobody is called before that commit (P4), and what becomes of a message that could not be stored so is what the journal says to its step.
 */
export class FirstSteps extends Context.Service<FirstSteps, {
  /** What became of this step with its message's commit; `undefined` at once, or as an answer, if it is to be written by itself. */
  readonly of: (step: Step) => Effect.Effect<StepResult | undefined> | undefined
  /** The message has left the hands of this node: no step of it will come. */
  readonly over: (id: MessageId) => void
  /** All go on at the end of the scope at the latest. */
  readonly gather: Effect.Effect<Gathering, never, Scope.Scope>
}>()("tidings/FirstSteps") {}

/** The intent of a first call, and nothing else: all that is known of its message is what it was made with. */
const isIntent = ({ attempt, conditional, dueAt, lifecycle, tries }: Step): boolean =>
  attempt?.state === "intent" && attempt.number === 1 && conditional && dueAt === undefined && tries === undefined &&
  Lifecycle.sources(lifecycle).includes("ENQUEUED")

interface Group extends Gathering {
  readonly arrive: (step: Step, resume: Resume) => Effect.Effect<void>
  readonly over: (id: MessageId) => void
}

/** `groups` tells of each message that is not stored which group it is of. */
const makeGroup = (groups: Map<MessageId, Group>): Group => {
  const ids: Array<MessageId> = []
  const expected = new Set<MessageId>()
  const intents = new Map<MessageId, Step>()
  const waiting = new Map<MessageId, Resume>()
  const all = Latch.makeUnsafe(true)
  let areInHand = true
  const spare = (id: MessageId) => {
    if (expected.delete(id) && expected.size === 0) Latch.openUnsafe(all)
  }
  const group: Group = {
    begin: (id, start) => {
      if (groups.has(id)) return false
      ids.push(id)
      expected.add(id)
      groups.set(id, group)
      Latch.closeUnsafe(all)
      // It may come to its step before this returns.
      if (start()) return true
      groups.delete(id)
      spare(id)
      return false
    },
    arrive: (step, resume) => {
      const { id } = step.message
      waiting.set(id, resume)
      if (isIntent(step)) intents.set(id, step)
      spare(id)
      return Effect.sync(() => {
        waiting.delete(id)
        intents.delete(id)
      })
    },
    over: (id) => {
      areInHand = false
      spare(id)
    },
    intents: Effect.map(Effect.timeoutOption(all.await, patience), () => [...intents.values()]),
    end: (results) => {
      for (const id of ids.splice(0)) if (groups.get(id) === group) groups.delete(id)
      for (const [id, resume] of waiting) resume(Effect.succeed(results.get(id)))
      waiting.clear()
      return areInHand
    }
  }
  return group
}

export const layer: Layer.Layer<FirstSteps> = Layer.sync(FirstSteps, () => {
  const groups = new Map<MessageId, Group>()
  return FirstSteps.of({
    of: (step) => {
      const group = groups.get(step.message.id)
      return group === undefined ? undefined : Effect.callback((resume) => group.arrive(step, resume))
    },
    over: (id) => groups.get(id)?.over(id),
    gather: Effect.acquireRelease(
      Effect.sync(() => makeGroup(groups)),
      (group) => Effect.sync(() => group.end(new Map()))
    )
  })
})
