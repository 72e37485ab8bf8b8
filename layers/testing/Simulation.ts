import * as Checks from "#layers/testing/Checked.ts"
import { enough, Falsified, faultsOf, fewest, told } from "#layers/testing/Falsified.ts"
import * as Faults from "#layers/testing/Faults.ts"
import type { Given } from "#layers/testing/Given.ts"
import type { History } from "#layers/testing/History.ts"
import * as Impossible from "#layers/testing/Impossible.ts"
import type { ListenerOptions } from "#layers/testing/ListenerOptions.ts"
import * as Mistakes from "#layers/testing/Mistakes.ts"
import type { Ending } from "#layers/testing/Loop.ts"
import type { Story } from "#layers/testing/Story.ts"
import { timeline } from "#layers/testing/Timeline.ts"
import type { VendorOptions } from "#layers/testing/VendorOptions.ts"
import * as Worlds from "#layers/testing/World.ts"
import { fromIso } from "#schemas/WrittenTime.ts"
import { Arbitrary, Array, Cause, Config, Effect, Option } from "effect"

// All that a story or a property can get hold of: what a project exports of that has to be named in its declarations.
export type { MessageRow, StoredAttempt, StoredEvents } from "#layers/memory/State.ts"
export type { BulkSend } from "#layers/testing/Bulk.ts"
export type { SendOptions } from "#layers/testing/Caller.ts"
export type { Chance } from "#layers/testing/Chance.ts"
export type { Checked } from "#layers/testing/Checked.ts"
export type { Cue } from "#layers/testing/Cue.ts"
export type { Faults, Kind } from "#layers/testing/Faults.ts"
export type { Given, GivenMember, GivenTemplate, GivenTenant } from "#layers/testing/Given.ts"
export type {
  BulkJob,
  Call,
  Cancellation,
  Change,
  Changed,
  Commit,
  History,
  Incident,
  LogLine,
  Report,
  ReportEvent,
  Request,
  Resend,
  Try
} from "#layers/testing/History.ts"
export type { ListenerOptions } from "#layers/testing/ListenerOptions.ts"
export type { Environment, Place, Stored, StoredBulkJob, StoredBulkUser } from "#layers/testing/Stored.ts"
export type { Story, World } from "#layers/testing/Story.ts"
export type { Telling } from "#layers/testing/Telling.ts"
export type { Down, VendorOptions } from "#layers/testing/VendorOptions.ts"
export type { Element } from "#schemas/Elemental.ts"
export type { Recipient } from "#schemas/Recipient.ts"
export type { Routing } from "#schemas/Routing.ts"
export type { SendMessage } from "#schemas/SendMessage.ts"
export type { RequestRecord } from "#src/delivery/Expansion.ts"
export type { InboxMessage } from "#src/reports/Inbox.ts"
export type { MessageRecord } from "#src/reports/MessageLog.ts"
export { Falsified, timeline }

export interface Options {
  /** The number of nodes, 3 by default. */
  readonly nodes?: number
  /** The number of shards, 4 by default. */
  readonly shards?: number
  /** The providers, in order. By default `mail` and `post` for email, and `text` for sms; all accept every call. */
  readonly vendors?: ReadonlyArray<VendorOptions>
  /** The servers that are told of events, as webhooks are (api.md 25.1). By default none. */
  readonly listeners?: ReadonlyArray<ListenerOptions>
  /** The faults to inject: by default `all` of `tidings/testing/Faults`, which has `none` too. */
  readonly faults?: Faults.Faults
  /**
   * When a world begins, in ISO 8601, such as `2026-03-28T18:00:00Z`, before a night in which clocks change; without an
   * offset it is UTC. By default `2026-01-05T08:00:00Z`, a Monday morning.
   */
  readonly begins?: string
  /** What is stored when the world begins, such as profiles, lists and templates. By default nothing. */
  readonly given?: Given
  /**
   * Options that each seed draws for its own world, such as profiles, templates and the scripts of providers
   * (`tidings/testing/Arbitraries`). They come before those above.
   */
  readonly drawn?: Arbitrary.Arbitrary<Omit<Options, "drawn">>
}

const mondayMorning = "2026-01-05T08:00:00Z"

const vendors: ReadonlyArray<VendorOptions> = [
  { key: "mail", channel: "email", address: "email" },
  { key: "post", channel: "email", address: "email" },
  { key: "text", channel: "sms", address: "phone_number" }
]

/** A story that takes longer is broken off, in ms of virtual time. */
const longestStory = 30 * 24 * 3_600_000

/**
 * Longer than a story waits for any answer (`Remote.ts`), in ms. If none of its fibers ran or slept for so long, none
 * ever will.
 */
const longestSilence = 20_000

const stuck =
  "the story waits for what never comes: no call of its world, and no sleep; what is outside of it, such as a promise or a file, never answers"

/** The steps of a story that asks for nothing, in a world in which nothing is under way: it looks for what never comes. */
const mostLooks = 50_000

/** The steps that a world may take (`Loop.ts`). */
const mostSteps = "2,000,000 steps of its world, and 10 for each second of it"

const looks =
  `the story does nothing but look, for more than ${mostLooks} steps, while nothing is under way: what it waits for does not come`

/** Why a story was broken off. `waits`: whether any of its fibers still had something to wait for in its world. */
const endlessness = (waits: boolean, ending: Ending): string => {
  if (!waits) return stuck
  if (ending === "done") return looks
  return ending === "endless"
    ? `the story did not end within ${mostSteps}: something in it goes round, such as a loop without an end`
    : "the story did not end within 30 days of its world"
}

/** The `size` by which Effect draws strings and collections. */
const size = 3

/** One value of the arbitrary; fails if it has none. */
const sample = <A>(seed: number, arbitrary: Arbitrary.Arbitrary<A>) =>
  Effect.flatMap(
    Arbitrary.sampleEffect(arbitrary, { count: 1, size, seed }),
    (values) => Effect.fromOption(Array.head(values))
  )

/** The options of one world, with what its seed draws. Fails in a sentence if no world can have them. */
const asked = Effect.fnUntraced(function*(seed: number, options: Options): Effect.fn.Return<Options, string> {
  const fault = Impossible.of(options)
  if (fault !== undefined) return yield* Effect.fail(fault)
  const { drawn, ...said } = options
  if (drawn === undefined) return said
  const ofSeed = yield* Effect.mapError(sample(seed, drawn), () => "options.drawn has no values")
  return yield* asked(seed, { ...said, ...ofSeed })
})

/** A world at its end. `isEndless`: it was broken off, since it took more steps than a world may. */
interface Lived {
  readonly history: History
  readonly isEndless: boolean
  readonly faults: Faults.Faults
  /** The same world, but for its faults. */
  readonly again: (faults: Faults.Faults) => Lived
}

const lived = (seed: number, story: Story, options: Options): Lived =>
  Effect.runSync(Effect.match(asked(seed, options), {
    onSuccess: (ofWorld) => live(seed, story, ofWorld),
    onFailure: (fault) => live(seed, () => Effect.die(fault), {})
  }))

/** Runs one world to its end. The same seed, story and options give the same history. */
export const run = (seed: number, story: Story, options: Options = {}): History => lived(seed, story, options).history

const live = (seed: number, story: Story, options: Options): Lived => {
  const { begins = mondayMorning, faults = Faults.all, given = {}, listeners = [], nodes = 3, shards = 4 } = options
  // `Impossible.ts` has refused what is no time.
  const epoch = fromIso(begins) ?? 0
  const installed = options.vendors ?? vendors
  const world = Worlds.make(seed, { nodes, shards, vendors: installed, listeners, faults, given, epoch })
  const { callers, chance, client, loop, receipts } = world
  let failure: string | undefined
  let isOver = false
  const breaksOff = (cause: Cause.Cause<unknown>) => {
    isOver = true
    failure ??= Cause.pretty(cause)
  }
  const isStuck = () => callers.pending() === 0 && loop.now() - callers.moved() > longestSilence
  let last = { deeds: -1, steps: 0, isAwaited: true }
  const isLooking = () => {
    const [deeds, steps] = [world.deeds(), callers.steps()]
    if (deeds !== last.deeds || !world.isDrained()) last = { deeds, steps, isAwaited: true }
    if (steps - last.steps <= mostLooks / 2) return false
    // Who sleeps since before may do something when it wakes, and for as long after.
    const isAwaited = callers.asleep() <= last.steps
    if (!isAwaited && !last.isAwaited) return true
    last = { deeds, steps, isAwaited }
    return false
  }
  callers.post(() =>
    callers.run(Effect.suspend(() =>
      Mistakes.effect(story({
        chance,
        calls: world.calls,
        commits: world.commits,
        draw: (arbitrary) =>
          Arbitrary.isArbitrary(arbitrary)
            ? Effect.suspend(() => sample(chance.int(0, 2 ** 31), arbitrary)).pipe(
              Effect.catch(() => Effect.die("The arbitrary has no values"))
            )
            : Effect.die("world.draw has to be given an Arbitrary, such as Arbitrary.schema(…)"),
        send: client.send,
        cancel: client.cancel,
        resend: client.resend,
        bulk: world.bulk,
        change: world.change,
        stored: world.stored,
        report: receipts.report,
        open: receipts.open,
        strike: (kind, node) => {
          const fault = Impossible.ofStrike(kind, node, world.nodes)
          return fault === undefined ? Effect.sync(() => world.strike(kind, node)) : Effect.die(fault)
        }
      })).pipe(Mistakes.watched(breaksOff))
    )).addObserver((exit) => {
      isOver = true
      if (exit._tag === "Failure") breaksOff(exit.cause)
    })
  )
  const ending = loop.run(() => isOver || isStuck() || isLooking(), longestStory)
  const ended = world.end(isOver ? failure : endlessness(callers.pending() > 0, ending))
  // What it forked may have gone on after it, and have gone wrong then.
  const history = { ...ended, failure: ended.failure ?? failure }
  const again = (others: Faults.Faults) => live(seed, story, { ...options, faults: others })
  return { history, isEndless: loop.isEndless(), faults, again }
}

/** Something that must be true of every world in which users do what the story says. */
export interface Property {
  readonly story: Story
  /**
   * What is wrong with this history, a sentence each; none if the property holds. An error that it throws, such as a
   * failed assertion, counts as a complaint.
   */
  readonly complaints: (history: History) => ReadonlyArray<string>
}

/** What is wrong with a history: its story broke off, something accepted never ended, or the property complains. */
const complaintsOf = (property: Property, { history, isEndless }: Lived): ReadonlyArray<string> => {
  if (history.failure !== undefined) return [`the story broke off: ${history.failure}`]
  if (!history.drained) {
    const endless = ` within ${mostSteps}: it is endless, something in it goes round`
    return [`something accepted did not come to its end${isEndless ? endless : ""}`]
  }
  try {
    return Mistakes.sentences(property.complaints(history))
  } catch (error) {
    return [Mistakes.thrown(error)]
  }
}

/** The world that breaks the property, with as few of its faults as do. */
const falsified = (property: Property, world: Lived, complaints: ReadonlyArray<string>): Falsified => {
  const { faults, history } = world
  const least = fewest(faults, history, (fewer) => {
    // A world without an end takes long; one more of them would tell nothing.
    const other = world.isEndless ? undefined : world.again(fewer)
    return other === undefined || complaintsOf(property, other).length === 0 ? undefined : other.history
  })
  const same = world.again(faults)
  const isSame = same.history.hash === history.hash && complaintsOf(property, same).join() === complaints.join()
  return new Falsified({
    seed: history.seed,
    complaints,
    faults: faultsOf(history),
    enough: enough(faults, history, least),
    replays: isSame,
    happened: told(least.history)
  })
}

/** Said where one world is lived alone, so that nobody takes it for more. */
const alone = "this world alone; if code has changed since it failed, it has the same faults, and another course"

/**
 * Checks a property in the worlds of the seeds 1 to `seeds` (100 by default), or of the one seed that the environment
 * variable `SEED` names, and then logs a line that says so. Answers what was in these worlds, and warns if a property
 * may hold for want of anything that could break it, such as where no send was accepted. Fails at the first world that
 * breaks the property; the error says which one, what happened in it, and how to replay it.
 */
export const check = Effect.fnUntraced(function*(
  property: Property,
  options: Options & { readonly seeds?: number } = {}
): Effect.fn.Return<Checks.Checked, Falsified> {
  const fault = Mistakes.ofProperty(property) ?? Impossible.of(options)
  if (fault !== undefined) return yield* Effect.die(new Error(fault))
  const named = yield* Effect.catch(
    Config.option(Config.Int("SEED")),
    () => Effect.die(new Error("The environment variable SEED has to be a whole number"))
  )
  if (Option.isSome(named)) yield* Effect.logInfo(`SEED=${named.value}: ${alone}`)
  const seeds = Option.match(named, {
    onSome: (seed) => [seed],
    onNone: () => Array.makeBy(options.seeds ?? 100, (n) => n + 1)
  })
  const checked = Checks.make((options.vendors ?? []).map(({ key }) => key))
  for (const seed of seeds) {
    // Worlds are lived without a pause: between them, a runner's timers and a timeout of this effect have their turn.
    yield* Effect.yieldNow
    const world = yield* Effect.sync(() => lived(seed, property.story, options))
    const complaints = complaintsOf(property, world)
    if (complaints.length > 0) return yield* falsified(property, world, complaints)
    checked.add(world.history, world.faults)
  }
  if (Option.isNone(named))
    yield* Effect.forEach(checked.doubts(), (doubt) => Effect.logWarning(`The property holds, but ${doubt}`))
  return checked.checked()
})
