import * as Memory from "#test/layers/memory/Stores.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import * as Postgres from "#test/layers/postgres/Stores.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { type Chooser, chooser } from "#test/src/content/Choices.ts"
import { assert, type Vitest } from "@effect/vitest"
import { Arbitrary, Context, Effect, Layer, Predicate, Result, Schema } from "effect"
import { TestClock } from "effect/testing"

/** Every store that both kinds have. */
export type Stores = Layer.Success<typeof Postgres.layer>

/** The same stores twice: in memory, and on a database of their own. */
export class Both extends Context.Service<Both, {
  readonly memory: Context.Context<Stores>
  readonly postgres: Context.Context<Stores>
}>()("tidings/test/Both") {}

export const layer = Layer.effect(
  Both,
  Effect.gen(function*() {
    const postgres = yield* Layer.build(Postgres.layer.pipe(Layer.provide(FreshDatabase.layerCollated)))
    return { memory: yield* Layer.build(Memory.layer), postgres }
  })
)

/** The ids that a store made, which are each store's own: both have the n-th of a kind, counted round. */
export class Made extends Context.Service<Made, {
  readonly of: (kind: string, n: number) => string
}>()("tidings/test/Made") {}

const made = /([a-z]+)_[0-9a-hjkmnp-tv-z]{26}/g

/** Names the ids of one store in the order in which they are met. */
const makeNames = () => {
  const names = new Map<string, string>()
  const known = new Map<string, string>()
  const counts = new Map<string, number>()
  return {
    service: Made.of({ of: (kind, n) => known.get(`${kind}#${n % Math.max(1, counts.get(kind) ?? 1)}`) ?? "none" }),
    renamed: (text: string): string =>
      text.replaceAll(made, (id, kind: string) => {
        const name = names.get(id) ?? `${kind}#${counts.get(kind) ?? 0}`
        if (!names.has(id)) {
          names.set(id, name)
          known.set(name, id)
          counts.set(kind, (counts.get(kind) ?? 0) + 1)
        }
        return name
      })
  }
}

/** One call of a store, which may be made of several; `said` is what a failing test shows of it. */
export interface Command {
  readonly said: unknown
  readonly run: Effect.Effect<unknown, unknown, Stores | Made>
  /** Told what both answered. */
  readonly learn?: (answer: unknown) => void
}

/** A story: its next command by these choices. What it remembers is the same for both kinds of stores. */
export type Story = (place: Fixture.World) => (choose: Chooser) => Command

const nameOf = (error: unknown): string => Predicate.hasProperty(error, "_tag") ? String(error._tag) : String(error)

/** An answer as a caller compares it: errors by tag, what is absent left out. */
const answerOf = (command: Command, names: ReturnType<typeof makeNames>) =>
  Effect.map(
    Effect.result(Effect.provideService(command.run, Made, names.service)),
    (result): unknown =>
      Result.isFailure(result)
        ? { failed: nameOf(result.failure) }
        : JSON.parse(names.renamed(JSON.stringify({ answered: result.success })))
  )

const number = Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 9_999 })))
/** A row of numbers a command, so that a story shrinks by commands. */
const rows = Arbitrary.array(Arbitrary.array(number, { minLength: 40, maxLength: 40 }), { minLength: 1, maxLength: 60 })

/** The same stories every time; `PARITY_SEED` tells others, `PARITY_RUNS` more, `PARITY_REPLAY` the one whose token a failing run printed. */
const seed = process.env["PARITY_SEED"] ?? "parity"
const runs = Number(process.env["PARITY_RUNS"] ?? 40)
const replay = process.env["PARITY_REPLAY"]

/** Whatever is asked, in whatever order: both kinds of stores answer the same. Between two commands `apart` ms pass, or up to two more. */
export const parity = (it: Vitest.MethodsNonLive<Both>, name: string, story: Story, apart = 0) =>
  it.effect.prop(
    `${name}: both kinds of stores answer the same`,
    { rows },
    ({ rows }) =>
      Effect.gen(function*() {
        const { memory, postgres } = yield* Both
        const place = yield* Fixture.world
        const tell = story(place)
        const names = [makeNames(), makeNames()] as const
        yield* TestClock.setTime(place.at)
        const said: Array<string> = []
        for (const row of rows) {
          const command = tell(chooser(row))
          yield* TestClock.adjust(apart + (row.at(-1) ?? 0) % 3)
          said.push(JSON.stringify(command.said))
          const expected = yield* answerOf(command, names[0]).pipe(Effect.provide(postgres))
          const actual = yield* answerOf(command, names[1]).pipe(Effect.provide(memory))
          assert.deepStrictEqual(actual, expected, said.join("\n"))
          if (Predicate.hasProperty(expected, "answered"))
            command.learn?.(expected.answered)
        }
      }),
    { arbitrary: { runs, seed, size: 200, replay }, timeout: 600_000 }
  )

/** All pages of a list, by cursors. */
export const pages = <A, E, R>(
  page: (
    cursor: string | undefined
  ) => Effect.Effect<{ readonly items: ReadonlyArray<A>; readonly cursor: string | undefined }, E, R>
) =>
  Effect.gen(function*() {
    const seen: Array<ReadonlyArray<A>> = []
    let cursor: string | undefined
    do {
      const next = yield* page(cursor)
      seen.push(next.items)
      cursor = next.cursor
    } while (cursor !== undefined && seen.length < 200)
    return seen
  })

/** Ids that databases and languages order, fold and compare in ways of their own. */
export const ids = [
  "a",
  "A",
  "b",
  "B",
  "aa",
  "a b",
  "a-b",
  "a_b",
  "a.b",
  "Z",
  "z",
  "é",
  "e\u0301",
  "É",
  "ß",
  "ss",
  "\uffee",
  "\u{1f984}",
  "ı",
  "I",
  "i",
  "10",
  "9",
  " a",
  "a ",
  "a%",
  "a*",
  "~",
  "x".repeat(200),
  "x".repeat(201)
] as const
