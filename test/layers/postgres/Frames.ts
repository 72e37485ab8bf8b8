import * as Frames from "#layers/postgres/journal/Frames.ts"
import * as Outputs from "#layers/postgres/journal/Outputs.ts"
import { Rendered } from "#schemas/Rendered.ts"
import { Expansions } from "#src/delivery/expansion/Expansions.ts"
import { Journal } from "#src/delivery/Journal.ts"
import type { MessageLog } from "#src/reports/MessageLog.ts"
import * as ExpansionFixture from "#test/contracts/ExpansionFixture.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { shown, shows } from "#test/contracts/MessageLogOutputs.ts"
import { render } from "#test/src/content/Rendering.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"

const Rows = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ text: Schema.String })))

const decodeRendered = Schema.decodeEffect(Schema.fromJsonString(Rendered))

const said = (body: string) => render({ title: "Hi", body }, { channel: "email" })

/** A mail that was recorded, and the row that it left. */
const recorded = Effect.fnUntraced(function*(body: string) {
  const { epoch, journal, message, place } = yield* Fixture.owned
  const output = said(body)
  yield* journal.record(shows(message, epoch, output))
  const sql = yield* SqlClient.SqlClient
  const rows = yield* Rows(yield* sql`select rendered as text from outputs where message_id = ${message.id}`)
  return { message, output, place, row: rows[0]?.text ?? "", step: shows(message, epoch, output) }
})

const framesOf = (scope: number) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => Effect.flatMap(sql`select pieces as text from frames where scope = ${scope}`, Rows)
  )

/** What a mail shares with others is stored once, over any Postgres. */
export const frames = <E>(
  name: string,
  stores: Layer.Layer<Expansions | Journal | MessageLog | SqlClient.SqlClient, E>
) =>
  layer(stores)(`Frames: ${name}`, (it) => {
    it.effect("of a mail what is its own is stored; its page once, for each environment by itself (P10)", () =>
      Effect.gen(function*() {
        const [one, two] = [yield* recorded("Hello Ada"), yield* recorded("Hello Bob")]
        for (const { message, output, place, row } of [one, two]) {
          assert.notInclude(row, "<!doctype")
          assert.notInclude(row, "&#8199;")
          assert.isBelow(row.length, output.html.length / 6)
          assert.strictEqual((yield* framesOf(place.scope)).length, 1)
          assert.notInclude(JSON.stringify(yield* framesOf(place.scope)), "Hello")
          assert.deepStrictEqual(yield* shown(message), [output])
          // What a node of the version before reads.
          assert.deepStrictEqual(yield* decodeRendered(row), { ...output, html: "" })
        }
      }))

    it.effect("a page of a request to many stores its mail and that mail's frame once", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const expansions = yield* Expansions
        const given = yield* ExpansionFixture.accepted()
        const { place } = given
        const { common, members, profiles } = ExpansionFixture.pageOf(given, ["a", "b", "c"]) ?? assert.fail("a page")
        const page = { common, profiles, members: members.map((member) => ({ ...member, shard: place.shard })) }
        const output = said("Hello all")
        const messages = members.map(({ id }) => Fixture.message(place, { id }))
        const intents = messages.map((message) => shows(message, given.epoch, output))
        yield* expansions.advance(ExpansionFixture.step(given, { page, intents }))
        const rows = yield* Rows(yield* sql`select rendered as text from outputs where scope = ${place.scope}`)
        assert.deepStrictEqual(rows.map(({ text }) => text.includes("<!doctype")), [false])
        assert.strictEqual((yield* framesOf(place.scope)).length, 1)
        for (const message of messages) assert.deepStrictEqual(yield* shown(message), [output])
      }))

    it.effect("rows of earlier versions, which hold whole mails, are read as they are", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const { message, output } = yield* recorded("Hello Ada")
        yield* sql`update outputs set rendered = ${JSON.stringify(output)} where message_id = ${message.id}`
        assert.deepStrictEqual(yield* shown(message), [output])
      }))

    it.effect("where a frame was lost, its mails keep their words, and their page comes back with the next use of it", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const { message, output, place, step } = yield* recorded("Hello Ada")
        yield* sql`delete from frames where scope = ${place.scope}`
        assert.deepStrictEqual(yield* shown(message), [{ ...output, html: "" }])
        const journal = yield* Journal
        const again = { ...step, attempt: Fixture.attempt(2, "intent") }
        yield* journal.record(again)
        assert.deepStrictEqual(yield* framesOf(place.scope), [])
        yield* TestClock.adjust("1 minute")
        yield* journal.record(again)
        assert.deepStrictEqual(yield* shown(message), [output])
      }))

    it.effect("a frame whose write failed is written again, and so is one whose use could not be written", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const { place, step } = yield* recorded("Hello Ada")
        const lost = sql`delete from frames where scope = ${place.scope}`
        const keep = Frames.keep(sql)
        const used = Outputs.framesOf([step, step])
        const count = Effect.map(framesOf(place.scope), ({ length }) => length)
        yield* lost
        yield* sql`alter table frames rename to away`
        assert.strictEqual((yield* Effect.flip(keep(used, Effect.void)))._tag, "SqlError")
        yield* sql`alter table away rename to frames`
        yield* keep(used, Effect.void)
        assert.strictEqual(yield* count, 1)
        yield* lost
        yield* keep(used, Effect.void)
        assert.strictEqual(yield* count, 0)
        yield* Effect.flip(keep(used, Effect.fail("the database is away")))
        yield* keep(used, Effect.void)
        assert.strictEqual(yield* count, 1)
      }))

    it.effect("frames whose minutes end within half a minute are written again together", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const one = yield* recorded("Hello Ada")
        const other = yield* recorded("Hello Bob")
        const keep = Frames.keep(sql)
        const used = (...steps: ReadonlyArray<typeof one.step>) => keep(Outputs.framesOf(steps), Effect.void)
        yield* used(one.step)
        yield* TestClock.adjust("25 seconds")
        yield* used(other.step)
        yield* TestClock.adjust("35 seconds")
        yield* sql`delete from frames where scope in (${one.place.scope}, ${other.place.scope})`
        yield* used(one.step, other.step)
        assert.strictEqual((yield* framesOf(other.place.scope)).length, 1)
      }))
  })
