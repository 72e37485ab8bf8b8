import { Expansions } from "#src/delivery/expansion/Expansions.ts"
import { Journal } from "#src/delivery/Journal.ts"
import { SuppressionReason } from "#schemas/Suppression.ts"
import { Suppressions } from "#src/people/Suppressions.ts"
import { MessageLog } from "#src/reports/MessageLog.ts"
import * as Metrics from "#src/reports/Metrics.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer, Metric } from "effect"
import { SqlClient } from "effect/sql"

const unknown = "OF_A_LATER_VERSION"

/** What of a message may be of another version, and how it is made so. */
const garbled: Readonly<Record<string, string>> = {
  "its status": "update messages set status = $2 where id = $1",
  "its key's state": "update messages set key_state = $2 where id = $1",
  "the state of an attempt": `with m as (update messages set providers = '{"null"}' where id = $1 returning scope, id)
    insert into attempts (scope, message_id, number, epoch, channel, provider, state, started_at)
    select scope, id, 1, 0, 'email', 'null', $2, 0 from m`,
  "the kind of an attempt": `with m as (update messages set providers = '{"null"}' where id = $1 returning scope, id)
    insert into attempts (scope, message_id, number, epoch, channel, provider, state, kind, started_at)
    select scope, id, 1, 0, 'email', 'null', 'rejected', $2, 0 from m`
}

/** Rows that another version wrote, or that something else did, over any Postgres. */
export const unreadableRows = <E>(
  name: string,
  stores: Layer.Layer<Expansions | Journal | MessageLog | SqlClient.SqlClient | Suppressions, E>
) =>
  layer(stores)(`Rows that do not decode: ${name}`, (it) => {
    for (const [what, statement] of Object.entries(garbled)) {
      it.effect(`X1: a message that does not decode by ${what} ends UNDELIVERABLE, and its shard's window goes on without it`, () =>
        Effect.gen(function*() {
          const place = yield* Fixture.world
          const sql = yield* SqlClient.SqlClient
          const journal = yield* Journal
          const before = yield* Fixture.accepted(place)
          const bad = yield* Fixture.accepted(place)
          const after = yield* Fixture.accepted(place)
          yield* sql.unsafe(statement, [bad.id, unknown])
          const settled = Metric.value(Metrics.settled({ status: "UNDELIVERABLE" }))
          const counted = Number((yield* settled).count)
          const window = Fixture.window(place)
          for (let look = 0; look < 2; look++) {
            const { complete, rows } = yield* journal.due(window)
            assert.isTrue(complete)
            assert.deepStrictEqual(rows.map(({ id }) => id), [before.id, after.id])
          }
          const log = yield* MessageLog
          const { status } = yield* log.get(place.scope, bad.id)
          assert.strictEqual(status, "UNDELIVERABLE")
          const read = yield* log.snapshots(place.scope, [before.id, bad.id, after.id])
          assert.sameMembers(read.snapshots.map(({ record }) => record.id), [before.id, bad.id, after.id])
          assert.deepStrictEqual(read.snapshots.flatMap(({ attempts }) => attempts), [])
          yield* sql`update messages set reason = ${unknown} where scope = ${place.scope} and id = ${bad.id}`
          const { snapshots, unreadable } = yield* log.snapshots(place.scope, [bad.id, after.id])
          assert.deepStrictEqual([snapshots.map(({ record }) => record.id), unreadable], [[after.id], [bad.id]])
          assert.strictEqual(Number((yield* settled).count) - counted, 1)
        }))
    }

    it.effect("P6: a message that was opened stays so if a call of it does not decode; only its escalation is off", () =>
      Effect.gen(function*() {
        const place = yield* Fixture.world
        const sql = yield* SqlClient.SqlClient
        const journal = yield* Journal
        const { id } = yield* Fixture.accepted(place)
        yield* sql.unsafe(garbled["the kind of an attempt"] ?? "", [id, unknown])
        yield* sql`update messages set status = 'OPENED', due_at = ${
          place.at - 1
        } where scope = ${place.scope} and id = ${id}`
        const settled = Metric.value(Metrics.settled({ status: "UNDELIVERABLE" }))
        const counted = Number((yield* settled).count)
        assert.deepStrictEqual((yield* journal.due(Fixture.window(place))).rows, [])
        const found =
          yield* sql`select status, reason, error, due_at from messages where scope = ${place.scope} and id = ${id}`
        assert.deepStrictEqual([...found], [{ status: "OPENED", reason: null, error: null, due_at: null }])
        assert.lengthOf(yield* sql`select from history where message_id = ${id} and step = 'unreadable'`, 0)
        assert.strictEqual(Number((yield* settled).count), counted)
      }))

    it.effect("X1: an address is suppressed also for a reason that does not decode, and those that are asked about with it keep theirs", () =>
      Effect.gen(function*() {
        const { scope } = yield* Fixture.world
        const sql = yield* SqlClient.SqlClient
        const suppressions = yield* Suppressions
        yield* sql`insert into suppressions (scope, channel, address, reason, created_at) values
          (${scope}, 'email', 'ada@example.com', ${unknown}, 0), (${scope}, 'email', 'bob@example.com', 'COMPLAINED', 0)`
        const asked = ["ada", "bob", "eve"].map((name) =>
          ({ channel: "email", address: `${name}@example.com` }) as const
        )
        const reasons = Effect.forEach(asked, (one) => suppressions.reason(scope, one), { concurrency: "unbounded" })
        assert.deepStrictEqual(yield* reasons, ["MANUAL", "COMPLAINED", undefined])
        const ada = { channel: "email", address: "ada@example.com" } as const
        const all = { channel: undefined, reason: undefined, cursor: undefined, limit: 10 }
        assert.deepInclude(yield* suppressions.get(scope, ada), { ...ada, reason: "MANUAL" })
        assert.deepStrictEqual(
          (yield* suppressions.list(scope, all)).items.map(({ address, reason }) => [address, reason]),
          [["bob@example.com", "COMPLAINED"], ["ada@example.com", "MANUAL"]]
        )
        const complained = { ...ada, reason: "COMPLAINED", provider: undefined, detail: undefined } as const
        const isStronger =
          SuppressionReason.literals.indexOf("COMPLAINED") > SuppressionReason.literals.indexOf("MANUAL")
        assert.strictEqual(yield* suppressions.add(scope, [complained]), isStronger)
        yield* suppressions.remove(scope, ada)
        assert.deepStrictEqual(yield* reasons, [undefined, "COMPLAINED", undefined])
      }))

    it.effect("X1: a stored response that does not decode fails the calls with its key, and none that are stored with them", () =>
      Effect.gen(function*() {
        const place = yield* Fixture.world
        const sql = yield* SqlClient.SqlClient
        const journal = yield* Journal
        const key = Fixture.key(place)
        const accept = (more: Parameters<typeof Fixture.acceptance>[2]) => {
          const message = Fixture.message(place)
          return Effect.map(Effect.exit(journal.accept(Fixture.acceptance(place, [message], more))), (exit) => ({
            id: message.id,
            exit
          }))
        }
        yield* accept({ key })
        yield* sql`update idempotency set headers = ${unknown} where scope = ${key.scope} and key = ${key.value}`
        const calls = [{ key }, { key: Fixture.key(place, { value: `${key.value} another` }) }, {}]
        const answers = yield* Effect.forEach(calls, accept, { concurrency: "unbounded" })
        assert.deepStrictEqual(answers.map(({ exit }) => exit._tag), ["Failure", "Success", "Success"])
        const { rows } = yield* journal.due(Fixture.window(place))
        assert.sameMembers(rows.slice(1).map(({ id }) => id), answers.slice(1).map(({ id }) => id))
      }))

    it.effect("X1: an expansion that does not decode ends FAILED, and its neighbours go on", () =>
      Effect.gen(function*() {
        const place = yield* Fixture.world
        const sql = yield* SqlClient.SqlClient
        const journal = yield* Journal
        const expansions = yield* Expansions
        const ids = [Fixture.id(place.at), Fixture.id(place.at), Fixture.id(place.at)] as const
        for (const id of ids) {
          yield* journal.accept({
            ...Fixture.acceptance(place, []),
            expansion: {
              id,
              scope: place.scope,
              shard: place.shard,
              keyState: "published",
              recipients: [{ list_id: "everyone" }],
              instructions: { content: { title: "Hello", body: "World" } }
            }
          })
        }
        yield* sql`update expansions set key_state = ${unknown} where id = ${ids[1]}`
        for (let look = 0; look < 2; look++) {
          const { rows } = yield* expansions.open([place.shard], place.at + 10, 10)
          assert.sameMembers(rows.map(({ id }) => id), [ids[0], ids[2]])
        }
        const { error, state } = yield* expansions.find(place.scope, ids[1])
        assert.deepStrictEqual([state, error], ["FAILED", "Quarantined: the stored expansion does not decode"])
      }))
  })
