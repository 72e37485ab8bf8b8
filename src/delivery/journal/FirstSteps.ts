import type { MessageId } from "#schemas/MessageId.ts"
import type { Step, StepResult } from "#src/delivery/Journal.ts"
import * as Lifecycle from "#src/delivery/Lifecycle.ts"
import { Context, Duration, Effect, Latch, Layer, type Scope } from "effect"

/** How long a commit waits for first steps. A message that has not come to its own by then is stored without it. */
const patience = Duration.millis(250)

type Resume = (result: Effect.Effect<StepResult | undefined>) => void

/** A commit in the making: messages that are about to be stored, with the first steps of those that have begun. */
export interface Gathering {
  /**
   * Begins a message by `start`; the commit waits for its first step from then on. False if `start` refuses, or if
   * another commit is to store the message.
   */
  readonly begin: (id: MessageId, start: () => boolean) => boolean
  /**
   * The intents that have come, once no more are waited for; what comes later is not stored with its message. None after
   * the end.
   */
  readonly intents: Effect.Effect<ReadonlyArray<Step>>
  /**
   * Lets all waiting messages go on: with the result of the step that was stored, or, where there is none, to write the
   * step themselves. One whose result is `Refused` hears that for each of its steps, however late it comes to them.
   * `undefined`: the messages are not stored, as far as is known. Answers whether all that were begun are still in hand.
   */
  readonly end: (results: ReadonlyMap<MessageId, StepResult> | undefined) => boolean
}

/**
 * Messages in hand that are not stored yet. A member of a request to many that can begin at once is begun before its
 * page is written, and the intent of its first call is committed together with the message: that saves one of a
 * message's three writes, and reading its row back. No provider is called before that commit (P4). A step that could
 * not be stored with its message is written to the journal by itself, which decides what becomes of it.
 */
export class FirstSteps extends Context.Service<FirstSteps, {
  /**
   * The result of this step, if its message's commit decides it. `undefined`, at once or as the effect's answer: it is
   * to be written by itself.
   */
  readonly of: (step: Step) => Effect.Effect<StepResult | undefined> | undefined
  /**
   * The message has left the hands of this node: no step of it will come. Answers whether it may have come to be stored
   * unread: its commit failed, and may have been made again while it was in hand, where no look finds it.
   */
  readonly over: (id: MessageId) => boolean
  /** The message's first step may be long in coming: the commit that is to store the message does not wait for it. */
  readonly spare: (id: MessageId) => void
  /** Waits until the commit that is to store the message was made or has failed. That does not wait for the message any more. */
  readonly stored: (id: MessageId) => Effect.Effect<void>
  /** Opens a gathering. It ends with the scope at the latest, so that nothing waits for ever. */
  readonly gather: Effect.Effect<Gathering, never, Scope.Scope>
}>()("tidings/FirstSteps") {}

/**
 * Whether the step is the intent of a first call and nothing else: such a step needs nothing of its message but what
 * that was made with.
 */
const isIntent = ({ attempt, conditional, dueAt, lifecycle, tries }: Step): boolean =>
  attempt?.state === "intent" && attempt.number === 1 && conditional && dueAt === undefined && tries === undefined &&
  Lifecycle.sources(lifecycle).includes("ENQUEUED")

interface Group extends Gathering {
  /** Waits for the end, with the step that may be stored. */
  readonly arrive: (id: MessageId, step: Step | undefined, resume: Resume) => Effect.Effect<void>
  readonly over: (id: MessageId) => void
  readonly spare: (id: MessageId) => void
}

/** What is known of the messages in hand that were begun before they were stored. */
interface InHand {
  /** By message that is not stored yet, the group that it is in. */
  readonly groups: Map<MessageId, Group>
  /** Those whose commits have failed. */
  readonly unstored: Set<MessageId>
  /** Those that are another's: their commits found them there. */
  readonly refused: Set<MessageId>
}

const refusal = Effect.succeed<StepResult>({ _tag: "Refused" })

const makeGroup = ({ groups, refused, unstored }: InHand): Group => {
  const ids: Array<MessageId> = []
  const expected = new Set<MessageId>()
  const intents = new Map<MessageId, Step>()
  const waiting = new Map<MessageId, Resume>()
  const all = Latch.makeUnsafe(true)
  const left = new Set<MessageId>()
  let isOver = false
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
      // The message may come to its first step before `start` returns.
      if (start()) return true
      groups.delete(id)
      spare(id)
      return false
    },
    arrive: (id, step, resume) => {
      // It was asked for before the end, and runs after it.
      if (isOver) {
        resume(refused.has(id) ? refusal : Effect.undefined)
        return Effect.void
      }
      waiting.set(id, resume)
      if (step !== undefined && isIntent(step)) intents.set(id, step)
      spare(id)
      return Effect.sync(() => {
        waiting.delete(id)
        intents.delete(id)
      })
    },
    over: (id) => {
      left.add(id)
      spare(id)
    },
    spare,
    intents: Effect.map(Effect.timeoutOption(all.await, patience), () => [...intents.values()]),
    end: (results) => {
      isOver = true
      for (const id of ids.splice(0)) {
        if (groups.get(id) !== group) continue
        groups.delete(id)
        if (left.has(id)) continue
        if (results === undefined) unstored.add(id)
        else if (results.get(id)?._tag === "Refused") refused.add(id)
      }
      for (const [id, resume] of waiting) resume(Effect.succeed(results?.get(id)))
      waiting.clear()
      // The scope outlives the gathering: it is that of a turn, in which thousands of messages are stored.
      intents.clear()
      return left.size === 0
    }
  }
  return group
}

export const layer: Layer.Layer<FirstSteps> = Layer.sync(FirstSteps, () => {
  const inHand: InHand = { groups: new Map(), unstored: new Set(), refused: new Set() }
  const { groups, refused, unstored } = inHand
  return FirstSteps.of({
    of: (step) => {
      const { id } = step.message
      const group = groups.get(id)
      if (group === undefined) return refused.has(id) ? refusal : undefined
      return Effect.callback((resume) => group.arrive(id, step, resume))
    },
    over: (id) => {
      groups.get(id)?.over(id)
      refused.delete(id)
      return unstored.delete(id)
    },
    spare: (id) => groups.get(id)?.spare(id),
    stored: (id) =>
      Effect.suspend(() => {
        const group = groups.get(id)
        return group === undefined
          ? Effect.void
          : Effect.asVoid(Effect.callback<StepResult | undefined>((resume) => group.arrive(id, undefined, resume)))
      }),
    gather: Effect.acquireRelease(
      Effect.sync(() => makeGroup(inHand)),
      (group) => Effect.sync(() => group.end(undefined))
    )
  })
})
