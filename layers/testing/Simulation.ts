import type { Chance } from "#layers/testing/Chance.ts"
import type { SendOptions } from "#layers/testing/Client.ts"
import * as Faults from "#layers/testing/Faults.ts"
import type { Given } from "#layers/testing/Given.ts"
import type { Call, Change, History, Report, Request, Resend } from "#layers/testing/History.ts"
import * as Impossible from "#layers/testing/Impossible.ts"
import type { Ending } from "#layers/testing/Loop.ts"
import type { Stored } from "#layers/testing/Stored.ts"
import type { VendorOptions } from "#layers/testing/Vendors.ts"
import * as Worlds from "#layers/testing/World.ts"
import type { SendMessage } from "#schemas/SendMessage.ts"
import { Arbitrary, Cause, Config, Effect, Option, Schema } from "effect"

export type { Call, Change, Given, History, Request, VendorOptions }

/** A simulated world as a story sees it. Time passes only while everybody waits. */
export interface World {
  readonly chance: Chance
  /**
   * POST /send, by a caller who tries again for as long as that is safe. It ends when the caller has done what can be done: what was refused has
   * no `requestId`, and its `tries` say why.
   */
  readonly send: (message: typeof SendMessage.Encoded, options?: SendOptions) => Effect.Effect<Request>
  /** One value, which the seed decides. */
  readonly draw: <A>(arbitrary: Arbitrary.Arbitrary<A>) => Effect.Effect<A>
  /** POST /messages/:id/cancel, once: whether it is cancelled, or `undefined` if no answer came or there is no such message. */
  readonly cancel: (messageId: string, environment?: number) => Effect.Effect<boolean | undefined>
  /** POST /messages/:id/resend, by the same patient caller. */
  readonly resend: (messageId: string, options?: SendOptions) => Effect.Effect<Resend>
  /**
   * Changes what is stored, until a node has answered: preferences, lists, who is in a tenant, and the settings of providers. Whether the store
   * did it: it does not where the API refuses it, such as to leave a list twice, or to opt out of a required topic. What names a topic, a
   * list or a tenant that never was there ends the story.
   */
  readonly change: (change: Change, environment?: number) => Effect.Effect<boolean>
  /** A provider reports of a call that it took. */
  readonly report: (call: Call, event: Report["event"]) => Effect.Effect<void>
  /** What the store holds now. */
  readonly stored: Stored
  /** What providers were asked to do so far. */
  readonly calls: ReadonlyArray<Call>
  /** Makes something go wrong now. */
  readonly strike: (kind: Faults.Kind) => Effect.Effect<void>
}

/**
 * What users do in a world; anything that Effect can do in virtual time, which begins on Monday 2026-01-05 at 08:00 UTC. Nothing outside of the
 * world comes to an answer there: no promise, no file, no network. One that fails breaks off, and that breaks every property.
 */
export type Story = (world: World) => Effect.Effect<unknown, unknown>

export interface Options {
  /** 3 by default. */
  readonly nodes?: number
  /** 4 by default. */
  readonly shards?: number
  /** By default `mail` for email, then `post`, and `text` for sms; all accept. */
  readonly vendors?: ReadonlyArray<VendorOptions>
  /** `all` of `tidings/testing/Faults` by default; `none` is there too. */
  readonly faults?: Faults.Faults
  /** Nothing by default: people, lists, tenants, audiences, topics, templates and brands that are there when it begins. */
  readonly given?: Given
}

const vendors: ReadonlyArray<VendorOptions> = [
  { key: "mail", channel: "email", address: "email" },
  { key: "post", channel: "email", address: "email" },
  { key: "text", channel: "sms", address: "phone_number" }
]

/** A story that takes longer is broken off, in ms. */
const longestStory = 30 * 24 * 3_600_000

/** Longer than a story waits for an answer (`Remote.ts`), in ms: if nothing of it moves or sleeps meanwhile, nothing ever will. */
const longestSilence = 20_000

const stuck =
  "the story waits for what never comes: no call of its world, and no sleep; what is outside of it, such as a promise or a file, never answers"

/** Why a story was broken off that is not over. */
const endlessness = (waits: boolean, ending: Ending): string => {
  if (!waits) return stuck
  return ending === "endless"
    ? "the story did not end within 2,000,000 steps of its world: something in it goes round, such as a loop without an end"
    : "the story did not end within 30 days of its world"
}

/** How large drawn strings and collections are at most. */
const size = 3

const draw = <A>(chance: Chance, arbitrary: Arbitrary.Arbitrary<A>): Effect.Effect<A> =>
  Effect.gen(function*() {
    const [value] = yield* Arbitrary.sampleEffect(arbitrary, { count: 1, size, seed: chance.int(0, 2 ** 31) })
    return value ?? (yield* Effect.die("The arbitrary has no values"))
  }).pipe(Effect.orDie)

/** Lives one world from its seed to its end: the same seed, the same history. */
export const run = (seed: number, story: Story, options: Options = {}): History => {
  const fault = Impossible.of(options)
  return live(seed, fault === undefined ? story : () => Effect.die(fault), fault === undefined ? options : {})
}

const live = (seed: number, story: Story, options: Options): History => {
  const world = Worlds.make(seed, {
    nodes: options.nodes ?? 3,
    shards: options.shards ?? 4,
    vendors: options.vendors ?? vendors,
    faults: options.faults ?? Faults.all,
    given: options.given ?? {}
  })
  const { calls, callers, chance, client, faults, loop, receipts } = world
  let failure: string | undefined
  let isOver = false
  const isStuck = () => callers.pending() === 0 && loop.now() - callers.moved() > longestSilence
  callers.post(() =>
    callers.run(Effect.suspend(() =>
      story({
        chance,
        calls,
        draw: (arbitrary) => draw(chance, arbitrary),
        send: client.send,
        cancel: client.cancel,
        resend: client.resend,
        change: world.change,
        stored: world.stored,
        report: receipts.report,
        strike: (kind) => Effect.sync(() => faults.strike(kind))
      })
    )).addObserver((exit) => {
      isOver = true
      failure = exit._tag === "Failure" ? Cause.pretty(exit.cause) : undefined
    })
  )
  const ending = loop.run(() => isOver || isStuck(), longestStory)
  return world.end(isOver ? failure : endlessness(callers.pending() > 0, ending))
}

/** What must be true of every world in which users do this. */
export interface Property {
  readonly story: Story
  /** What is wrong with how it went, a sentence each; none, if the property holds. What it throws, such as a failed assertion, counts as one. */
  readonly complaints: (history: History) => ReadonlyArray<string>
}

/** A seed whose world breaks a property. */
export class Falsified extends Schema.TaggedError<Falsified>()("Falsified", {
  seed: Schema.Int,
  complaints: Schema.Array(Schema.String),
  /** What went wrong in that world before the property did. */
  faults: Schema.Array(Schema.String),
  /** Whether a second run of the seed did the same. */
  replays: Schema.Boolean
}) {
  override get message(): string {
    const faults = this.faults.length === 0 ? [] : [`Faults in its world: ${this.faults.join(", ")}`]
    const replay = this.replays
      ? `Replay it alone: the same command with SEED=${this.seed}`
      : `SEED=${this.seed} may not replay it: the story uses time or chance that is not its world's`
    return [`Seed ${this.seed} breaks the property`, ...this.complaints.map((line) => `  ${line}`), ...faults, replay]
      .join("\n")
  }
}

/** What is wrong with a history: its story broke off, something accepted never ended, or what the property says. */
const complaintsOf = (property: Property, history: History): ReadonlyArray<string> => {
  if (history.failure !== undefined) return [`the story broke off: ${history.failure}`]
  if (!history.drained) return ["something accepted did not come to its end"]
  try {
    return property.complaints(history)
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)]
  }
}

/**
 * Holds a property to the worlds of the seeds 1 to `seeds` (100 by default), or to the one seed that the environment variable `SEED` names. It
 * fails at the first world that breaks it, and says which and how to see it again.
 */
export const check = Effect.fnUntraced(function*(
  property: Property,
  options: Options & { readonly seeds?: number } = {}
): Effect.fn.Return<void, Falsified | Config.ConfigError> {
  const fault = Impossible.of(options)
  if (fault !== undefined) return yield* Effect.die(fault)
  const named = yield* Config.option(Config.Int("SEED"))
  const seeds = Option.match(named, {
    onSome: (seed) => [seed],
    onNone: () => Array.from({ length: options.seeds ?? 100 }, (_, n) => n + 1)
  })
  for (const seed of seeds) {
    const history = yield* Effect.sync(() => run(seed, property.story, options))
    const complaints = complaintsOf(property, history)
    if (complaints.length === 0) continue
    return yield* new Falsified({
      seed,
      complaints,
      faults: history.incidents.flatMap(({ at, kind, node }) =>
        kind === "move" ? [] : [`${kind}${node === undefined ? "" : ` of ${node}`} at ${at} ms`]
      ),
      replays: run(seed, property.story, options).hash === history.hash
    })
  }
})
