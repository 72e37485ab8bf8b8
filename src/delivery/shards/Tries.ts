import type { MessageId } from "#schemas/MessageId.ts"
import type { Journal } from "#src/delivery/Journal.ts"
import { closed, type Ending, fenced, type Hands } from "#src/delivery/pipeline/Journey.ts"
import type { OpenMessage } from "#src/delivery/journal/OpenMessage.ts"
import type { Pipeline } from "#src/delivery/Pipeline.ts"
import type { Together } from "#src/delivery/shards/Together.ts"
import * as Quarantine from "#src/delivery/shards/Quarantine.ts"
import * as Write from "#src/delivery/journal/Write.ts"
import { Clock, Effect, Semaphore } from "effect"

/**
 * How many messages run at once in their second and in their third try: the one that kills the process is looked for
 * among fewer and fewer.
 */
const suspects: ReadonlyMap<number, number> = new Map([[2, 256], [3, 16]])

/** How many messages are remembered: more than a node has in hand at once. */
const remembered = 8_192

/**
 * Messages whose last counted try was fenced while this process lived on: such a try says nothing against them. It is
 * excused only so often in a row, since a message that holds up its process for long loses the shard as well.
 */
const survivals = () => {
  const times = new Map<MessageId, number>()
  return {
    has: (id: MessageId): boolean => (times.get(id) ?? Infinity) <= Quarantine.maxTries,
    add: (id: MessageId): void => {
      const before = times.get(id) ?? 0
      times.delete(id)
      times.set(id, before + 1)
      const [oldest] = times.keys()
      if (times.size > remembered && oldest !== undefined) times.delete(oldest)
    },
    forget: (id: MessageId): boolean => times.delete(id)
  }
}

/**
 * Runs a message so that one that kills its process is found out: a message that was open when this owner took the
 * shard is counted before it runs, and any end of its step clears the count. A try that this process survived is not
 * counted twice.
 */
export const make = (options: {
  readonly journal: Journal["Service"]
  readonly pipeline: Pipeline["Service"]
  readonly together: Together
}) => {
  const { journal, pipeline, together } = options
  const write = Write.make(journal)
  const groups = new Map([...suspects].map(([tries, size]) => [tries, Semaphore.makeUnsafe(size)] as const))

  const survived = survivals()
  /** The number of a try that begins now. */
  const triesOf = ({ id, tries }: OpenMessage): number => survived.has(id) ? Math.max(1, tries) : tries + 1

  const setAside = Effect.fnUntraced(function*(message: OpenMessage, epoch: number, what: string) {
    yield* Quarantine.tell(message.id, Quarantine.maxTries)
    return yield* pipeline.abandon(message, epoch, `Quarantined: ${what} in each of ${Quarantine.maxTries} tries`)
  })

  /** What had to wait for its turn begins no more once its shard is being handed over: its next owner runs it. */
  const unlessLate = (
    { dueAt }: OpenMessage,
    { mayBegin }: Hands,
    run: Effect.Effect<Ending>
  ): Effect.Effect<Ending> => Effect.suspend(() => mayBegin() ? run : Effect.succeed({ _tag: "Waiting", dueAt }))

  const begin = Effect.fnUntraced(function*(
    message: OpenMessage,
    hands: Hands,
    tries: number
  ): Effect.fn.Return<Ending> {
    const { epoch } = hands
    if (tries > Quarantine.maxTries) return yield* setAside(message, epoch, "the process died")
    const at = yield* Clock.currentTimeMillis
    const begun = yield* write({ message, epoch, at, lifecycle: [], conditional: true, tries, events: [] })
    if (begun._tag === "Fenced") return fenced
    if (begun._tag === "Refused") return closed
    const ending = yield* pipeline.run({ ...message, tries }, hands)
    if (ending._tag === "Fenced") survived.add(message.id)
    else survived.forget(message.id)
    return ending
  })

  return (message: OpenMessage, hands: Hands): Effect.Effect<Ending> => {
    if (message.tries >= Quarantine.crashed) {
      return together.among(setAside(message, hands.epoch, "it crashed its pipeline"))
    }
    if (!message.recovered) return together.among(unlessLate(message, hands, pipeline.run(message, hands)))
    const tries = triesOf(message)
    const beginning = unlessLate(message, hands, begin(message, hands, tries))
    if (tries >= Quarantine.aloneFrom) return together.alone(beginning)
    const running = together.among(beginning)
    return groups.get(tries)?.withPermits(1)(running) ?? running
  }
}
