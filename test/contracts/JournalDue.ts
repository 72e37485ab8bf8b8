import type { MessageId } from "#schemas/MessageId.ts"
import { Journal, type Window } from "#src/delivery/Journal.ts"
import * as OpenMessage from "#src/delivery/journal/OpenMessage.ts"
import type { DueRow } from "#src/delivery/journal/OpenMessage.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { assert, type Vitest } from "@effect/vitest"
import { Effect, Schema } from "effect"

const look = (place: Fixture.World, more: Partial<Window> = {}) =>
  Journal.use((journal) => journal.due(Fixture.window(place, more)))

const idsOf = (rows: ReadonlyArray<{ readonly id: MessageId }>) => rows.map((row) => row.id)

/** What the owner of shards reads. */
export const due = (it: Vitest.MethodsNonLive<Journal>) => {
  it.effect("an empty shard has nothing due, and nothing later", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* look(yield* Fixture.world), {
        rows: [],
        complete: true,
        upTo: undefined,
        timedUpTo: undefined,
        next: undefined
      })
      assert.deepStrictEqual(yield* look(yield* Fixture.world, { shards: [] }), {
        rows: [],
        complete: true,
        upTo: undefined,
        timedUpTo: undefined,
        next: undefined
      })
    }))

  it.effect("a row is the message as it was accepted", () =>
    Effect.gen(function*() {
      const place = yield* Fixture.world
      const message = yield* Fixture.accepted(place, {
        recipient: { user_id: "ada", data: Fixture.hostile },
        instructions: { data: { same: Fixture.hostile } },
        lane: "bulk",
        keyState: "draft"
      })
      const { rows } = yield* look(place)
      const [open] = yield* Effect.forEach(rows, OpenMessage.fromRow)
      const {
        event: _1,
        events: _2,
        recipientName: _3,
        size: _4,
        tags: _5,
        template: _6,
        tenantId: _7,
        traceId: _8,
        ...fields
      } = message
      assert.lengthOf(rows, 1)
      assert.isDefined(open)
      for (const [name, value] of Object.entries(fields)) {
        assert.deepStrictEqual(Object.entries(open ?? {}).find(([own]) => own === name)?.[1], value, name)
      }
    }))

  it.effect("P3: ready rows come in the order of acceptance within shard and lane, whatever their ids and clocks say", () =>
    Effect.gen(function*() {
      const place = yield* Fixture.world
      const other = { ...place, shard: (yield* Fixture.world).shard }
      const all = yield* Effect.forEach(
        Array.from({ length: 24 }, (_, n) => n),
        (n) =>
          Fixture.accepted(n % 3 === 0 ? other : place, {
            lane: n % 2 === 0 ? "transactional" : "bulk",
            enqueuedAt: place.at - n * 1_000,
            recipientKey: `r${n}`
          })
      )
      const { complete, rows } = yield* look(place, {
        shards: [place, other].map(({ shard }) => ({ shard, takenAtSeq: 0 }))
      })
      assert.isTrue(complete)
      assert.lengthOf(rows, all.length)
      for (const shard of [place.shard, other.shard]) {
        for (const lane of ["transactional", "bulk"]) {
          const mine = (row: { readonly shard: number; readonly lane: string }) =>
            row.shard === shard && row.lane === lane
          assert.deepStrictEqual(idsOf(rows.filter(mine)), idsOf(all.filter(mine)))
        }
      }
    }))

  it.effect("messages of one acceptance keep their order", () =>
    Effect.gen(function*() {
      const place = yield* Fixture.world
      const journal = yield* Journal
      const all = Array.from({ length: 20 }, () => Fixture.message(place))
      yield* journal.accept(Fixture.acceptance(place, all))
      assert.deepStrictEqual(idsOf((yield* look(place)).rows), idsOf(all))
    }))

  it.effect("P3: a recipient's ready rows come in the order of acceptance, whatever tenants they are for", () =>
    Effect.gen(function*() {
      const place = yield* Fixture.world
      const tenants = ["y", undefined, "x", "y"]
      const all = Array.from({ length: 20 }, (_, n) => Fixture.message(place, { tenantId: tenants[n % 4] }))
      yield* (yield* Journal).accept(Fixture.acceptance(place, all))
      // From this environment's turns on: a look takes 32 of them, and the store holds those of other tests.
      const { rows } = yield* look(place, { limit: 60, after: `${place.scope}9~` })
      assert.deepStrictEqual(idsOf(rows), idsOf(all))
    }))

  it.effect("timed rows come when their time has come, the most overdue of all tenants first; the next one's time is told", () =>
    Effect.gen(function*() {
      const place = yield* Fixture.world
      const [late, early, exact] = yield* Effect.all([
        Fixture.accepted(place, { dueAt: place.at + 30, tenantId: "acme" }),
        Fixture.accepted(place, { dueAt: place.at + 10, tenantId: "acme" }),
        Fixture.accepted(place, { dueAt: place.at + 20 }),
        Fixture.accepted(place, { dueAt: place.at + 40, lane: "bulk" })
      ])
      assert.deepStrictEqual(yield* look(place), {
        rows: [],
        complete: true,
        upTo: undefined,
        timedUpTo: undefined,
        next: place.at + 10
      })
      const some = yield* look(place, { now: place.at + 20 })
      assert.deepStrictEqual([idsOf(some.rows), some.next], [[early.id, exact.id], place.at + 30])
      const most = yield* look(place, { now: place.at + 39 })
      assert.deepStrictEqual([idsOf(most.rows), most.next], [[early.id, exact.id, late.id], place.at + 40])
      assert.isUndefined((yield* look(place, { now: place.at + 40 })).next)
    }))

  it.effect("what is in hand, and what waits for a full mailbox, is left out", () =>
    Effect.gen(function*() {
      const place = yield* Fixture.world
      const [held, full, timed, rest] = yield* Effect.all([
        Fixture.accepted(place),
        Fixture.accepted(place, { recipientKey: "full" }),
        Fixture.accepted(place, { recipientKey: "full", dueAt: place.at - 1 }),
        Fixture.accepted(place, { recipientKey: "fuller" })
      ])
      const { rows } = yield* look(place, { held: [held.id], fullMailboxes: ["full"] })
      assert.deepStrictEqual(idsOf(rows), [rest.id])
      assert.sameMembers(idsOf((yield* look(place)).rows), [held.id, full.id, timed.id, rest.id])
    }))

  it.effect("only the named shards are read", () =>
    Effect.gen(function*() {
      const place = yield* Fixture.world
      const elsewhere = yield* Fixture.world
      yield* Effect.all([
        Fixture.accepted(elsewhere),
        Fixture.accepted(elsewhere, { dueAt: elsewhere.at }),
        Fixture.accepted(elsewhere, { dueAt: elsewhere.at + 1 })
      ])
      assert.deepStrictEqual(yield* look(place), {
        rows: [],
        complete: true,
        upTo: undefined,
        timedUpTo: undefined,
        next: undefined
      })
    }))

  it.effect.prop(
    "windows are bounded, and reading on with what is in hand finds every due row once",
    {
      rows: Schema.Array(Schema.Struct({ timed: Schema.Boolean, bulk: Schema.Boolean })).check(Schema.isMaxLength(30)),
      limit: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 9 }))
    },
    ({ limit, rows }) =>
      Effect.gen(function*() {
        const place = yield* Fixture.world
        const all = rows.map(({ bulk, timed }, n) =>
          Fixture.message(place, { lane: bulk ? "bulk" : "transactional", dueAt: timed ? place.at - n : 0 })
        )
        const later = Fixture.message(place, { dueAt: place.at + 77 })
        yield* (yield* Journal).accept(Fixture.acceptance(place, [...all, later]))
        const held: Array<MessageId> = []
        let window = yield* look(place, { limit })
        while (!window.complete) {
          assert.isUndefined(window.next)
          assert.isAtMost(window.rows.length, 4 * limit)
          assert.isNotEmpty(window.rows, "a window that is not complete brings something")
          held.push(...idsOf(window.rows))
          window = yield* look(place, { limit, held })
        }
        held.push(...idsOf(window.rows))
        assert.strictEqual(window.next, place.at + 77)
        assert.lengthOf(held, all.length)
        assert.sameMembers(held, idsOf(all))
      }),
    { arbitrary: { runs: 15 } }
  )

  it.effect.prop(
    "a look brings no more than its bytes, one row in any case; P3: the looks together bring all, in order",
    {
      bytes: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 2_000 })),
      rows: Schema.Array(
        Schema.Struct({ lane: OpenMessage.Lane, timed: Schema.Boolean, length: Schema.Literals([1, 300, 2_500]) })
      ).check(Schema.isMaxLength(20)),
      tenants: Schema.Literals([1, 3])
    },
    ({ bytes, rows, tenants }) =>
      Effect.gen(function*() {
        const place = yield* Fixture.world
        const all = rows.map(({ lane, length, timed }, n) =>
          Fixture.message(place, {
            lane,
            dueAt: timed ? place.at - rows.length + n : 0,
            tenantId: tenants === 1 ? undefined : `t${n % tenants}`,
            recipientKey: `r${n % 4}`,
            instructions: { data: { said: "é".repeat(length) } }
          })
        )
        yield* (yield* Journal).accept(Fixture.acceptance(place, all))
        const found: Array<DueRow> = []
        const kindOf = ({ dueAt, lane }: DueRow) => `${lane} ${dueAt > 0}`
        let after: Pick<Window, "after" | "timedAfter"> = {}
        for (let empty = 0; empty < 2;) {
          const { rows, timedUpTo, upTo } = yield* look(place, { bytes, held: idsOf(found), limit: 50, ...after })
          for (const part of Map.groupBy(rows, kindOf).values()) {
            const sizes = part.map(({ instructions, recipient }) => Buffer.byteLength(instructions + recipient))
            assert.isBelow(sizes.reduce((sum, size) => sum + size, 0) - Math.max(...sizes), bytes)
          }
          found.push(...rows)
          after = { after: upTo, timedAfter: timedUpTo }
          empty = rows.length === 0 ? empty + 1 : 0
        }
        assert.sameMembers(idsOf(found), idsOf(all))
        const inOrder =
          (key: string) => (row: { readonly lane: string; readonly recipientKey: string; readonly dueAt: number }) =>
            row.dueAt === 0 && `${row.lane} ${row.recipientKey}` === key
        for (const lane of ["transactional", "bulk"]) {
          for (const name of ["r0", "r1", "r2", "r3"]) {
            const mine = inOrder(`${lane} ${name}`)
            assert.deepStrictEqual(idsOf(found.filter(mine)), idsOf(all.filter(mine)))
          }
        }
      }),
    { arbitrary: { runs: 25 } }
  )

  it.effect.each(
    [
      { name: "ready", dueAt: 0, limit: 50 },
      { name: "timed", dueAt: 1, limit: 50 },
      { name: "more timed than the limit", dueAt: 1, limit: 10 }
    ] as const
  )(
    "the bytes of a look are shared by turns: nobody waits behind another's large messages ($name)",
    ({ dueAt, limit }) =>
      Effect.gen(function*() {
        const place = yield* Fixture.world
        const of = (tenantId: string, length: number) => (_: unknown, n: number) =>
          Fixture.message(place, {
            // Rows of the same due time come in any order, and a look may end between them.
            dueAt: dueAt && dueAt + n,
            tenantId,
            recipientKey: `${tenantId} ${n}`,
            instructions: { data: { said: "x".repeat(length) } }
          })
        const heavy = Array.from({ length: 12 }, of("heavy", 500))
        const light = Array.from({ length: 3 }, of("light", 1))
        yield* (yield* Journal).accept(Fixture.acceptance(place, [...heavy, ...light]))
        const found: Array<MessageId> = []
        // Turns of other shards are looked at as well: one round over them all may be several looks.
        let last: string | undefined
        do {
          const window = yield* look(place, { bytes: 1_000, limit, after: last, timedAfter: last })
          assert.isFalse(window.complete)
          found.push(...idsOf(window.rows))
          last = window.upTo ?? window.timedUpTo
        } while (last !== undefined)
        assert.includeMembers(found, idsOf([...heavy.slice(0, 1), ...light.slice(0, 1)]))
        assert.isAtMost(found.length, 2 + light.length)
      })
  )

  it.effect.each([1, 40])(
    "what must not pass the row of a full turn takes no bytes from other turns (%i)",
    (turns) =>
      Effect.gen(function*() {
        const place = yield* Fixture.world
        const of = (tenantId: string, recipientKey: string, length: number) =>
          Fixture.message(place, { tenantId, recipientKey, instructions: { data: { said: "x".repeat(length) } } })
        const first = of("a full", "ada", 1)
        const light = of("c light", "bob", 1)
        const heavy = Array.from({ length: 5 * turns }, (_, n) => of(`b heavy ${n % turns}`, "ada", 400))
        const all = turns === 1 ? [first, ...heavy, light] : [first, light, ...heavy]
        yield* (yield* Journal).accept(Fixture.acceptance(place, all))
        const { complete, rows } = yield* look(place, { bytes: 1_000, fullTurns: [`${place.scope}:a full`] })
        assert.deepStrictEqual([idsOf(rows), complete], [[light.id], false])
      })
  )

  it.effect("rows bring their attempts, the oldest first", () =>
    Effect.gen(function*() {
      const place = yield* Fixture.world
      const journal = yield* Journal
      const { epoch } = yield* journal.take(place.shard, "node", place.at)
      const [tried, fresh] = yield* Effect.all([Fixture.accepted(place), Fixture.accepted(place)])
      const attempts = [
        Fixture.attempt(1, "rejected", { kind: "Unavailable", retryAfter: 5, error: "503", provider: "one" }),
        Fixture.attempt(2, "unknown", { kind: "Unknown" }),
        Fixture.attempt(3, "intent")
      ]
      yield* Effect.forEach(attempts, (attempt, n) =>
        journal.record(Fixture.step(tried, epoch, { at: place.at + n, attempt })))
      const { rows } = yield* look(place)
      assert.deepStrictEqual(rows.map((row) => [row.id, row.attempts]), [[tried.id, attempts], [fresh.id, []]])
    }))

  it.effect("what was open before the shard was taken is marked as recovered, and nothing else", () =>
    Effect.gen(function*() {
      const place = yield* Fixture.world
      const journal = yield* Journal
      const before = yield* Effect.all([
        Fixture.accepted(place),
        Fixture.accepted(place, { dueAt: place.at - 5 })
      ])
      const { seq } = yield* journal.take(place.shard, "node", place.at)
      const after = yield* Effect.all([
        Fixture.accepted(place),
        Fixture.accepted(place, { dueAt: place.at - 4 })
      ])
      const { rows } = yield* look(place, { shards: [{ shard: place.shard, takenAtSeq: seq }] })
      const recovered = (flag: boolean) => idsOf(rows.filter((row) => row.recovered === flag))
      assert.sameMembers(recovered(true), idsOf(before))
      assert.sameMembers(recovered(false), idsOf(after))
    }))

  it.effect("a wait that ended and a status that moved are in the row", () =>
    Effect.gen(function*() {
      const place = yield* Fixture.world
      const journal = yield* Journal
      const { epoch } = yield* journal.take(place.shard, "node", place.at)
      const message = yield* Fixture.accepted(place, { status: "DELAYED", dueAt: place.at + 10 })
      yield* journal.record(
        Fixture.step(message, epoch, { lifecycle: ["Due", "Route"], dueAt: place.at + 500, tries: 2 })
      )
      const { rows } = yield* look(place, { now: place.at + 500 })
      assert.deepStrictEqual(
        rows.map(({ dueAt, status, tries }) => ({ dueAt, status, tries })),
        [{ dueAt: place.at + 500, status: "ROUTED", tries: 2 }]
      )
    }))

  it.effect("a tenant's one row comes in the first look, however many rows another tenant has before it", () =>
    Effect.gen(function*() {
      const place = yield* Fixture.world
      const crowd = Array.from(
        { length: 300 },
        (_, n) => Fixture.message(place, { tenantId: "crowd", recipientKey: `crowd-${n}` })
      )
      yield* (yield* Journal).accept(Fixture.acceptance(place, crowd))
      const [one, none] = yield* Effect.all([
        Fixture.accepted(place, { tenantId: "one", recipientKey: "one" }),
        Fixture.accepted(place, { recipientKey: "none" })
      ])
      // From this environment's turns on: a look takes 32 of them, and the store holds those of other tests.
      const { complete, rows } = yield* look(place, { limit: 9, after: `${place.scope}9~` })
      const ids = idsOf(rows)
      const ofCrowd = ids.filter((id) => id !== one.id && id !== none.id)
      assert.isFalse(complete)
      assert.includeMembers(ids, [one.id, none.id])
      assert.isTrue(ofCrowd.length > 0 && ofCrowd.length <= 9)
      assert.deepStrictEqual(ofCrowd, idsOf(crowd.slice(0, ofCrowd.length)))
    }))

  it.effect("a tenant's one timed row comes in the first look, however many rows of another are due before it; all come", () =>
    Effect.gen(function*() {
      const place = yield* Fixture.world
      const crowd = Array.from(
        { length: 300 },
        (_, n) => Fixture.message(place, { tenantId: "crowd", recipientKey: `crowd-${n}`, dueAt: place.at - 1_000 + n })
      )
      yield* (yield* Journal).accept(Fixture.acceptance(place, crowd))
      const one = yield* Fixture.accepted(place, { tenantId: "one", recipientKey: "one", dueAt: place.at })
      yield* Fixture.accepted(place, { tenantId: "later", recipientKey: "later", dueAt: place.at + 5 })
      // From this environment's turns on: a look takes 32 of them, and the store holds those of other tests.
      const first = yield* look(place, { limit: 9, timedAfter: `${place.scope}9~` })
      const ids = idsOf(first.rows)
      assert.isFalse(first.complete)
      assert.isUndefined(first.next)
      assert.include(ids, one.id)
      assert.deepStrictEqual(ids.filter((id) => id !== one.id), idsOf(crowd.slice(0, ids.length - 1)))
      const beside = yield* look(place, { limit: 9, fullTurns: [`${place.scope}:crowd`] })
      assert.deepStrictEqual([idsOf(beside.rows), beside.complete, beside.next], [[one.id], true, place.at + 5])

      const held = [...ids]
      let timedAfter = first.timedUpTo
      for (let looks = 0; looks < 400; looks++) {
        const fromFirst = timedAfter === undefined
        const found = yield* look(place, { limit: 9, held, timedAfter })
        held.push(...idsOf(found.rows))
        timedAfter = found.timedUpTo
        if (found.complete) break
        assert.isTrue(!fromFirst || found.rows.length > 0, "a look that is not over brings something")
      }
      assert.lengthOf(held, crowd.length + 1)
      assert.sameMembers(held, [...idsOf(crowd), one.id])
    }))

  it.effect("nothing is read for a turn that holds enough; what else is due is then all there is", () =>
    Effect.gen(function*() {
      const place = yield* Fixture.world
      const full = { tenantId: "full" }
      yield* Effect.all([
        Fixture.accepted(place, { ...full, recipientKey: "a" }),
        Fixture.accepted(place, { ...full, recipientKey: "b", dueAt: place.at - 1 })
      ])
      const other = yield* Fixture.accepted(place, { recipientKey: "c" })
      const { complete, rows } = yield* look(place, { fullTurns: [`${place.scope}:full`] })
      assert.deepStrictEqual([idsOf(rows), complete], [[other.id], true])
      assert.lengthOf((yield* look(place)).rows, 3)
    }))

  it.effect.prop(
    "P3: by turns too, nobody's row comes before an older one of the same recipient, and all come",
    {
      rows: Schema.Array(Schema.Struct({
        tenant: Schema.Literals(["", "x", "y", "z"]),
        recipient: Schema.Literals(["ada", "bob", "cleo"])
      })).check(Schema.isMinLength(8), Schema.isMaxLength(16)),
      limit: Schema.Int.check(Schema.isBetween({ minimum: 2, maximum: 12 })),
      full: Schema.Literals(["", "x", "none of them"])
    },
    ({ full, limit, rows }) =>
      Effect.gen(function*() {
        const place = yield* Fixture.world
        const all = rows.map(({ recipient, tenant }) =>
          Fixture.message(place, {
            recipientKey: `${place.scope}:${recipient}`,
            tenantId: tenant === "" ? undefined : tenant
          })
        )
        yield* (yield* Journal).accept(Fixture.acceptance(place, all))
        const held: Array<MessageId> = []
        let after: string | undefined
        for (let looks = 0, fullTurns = [`${place.scope}:${full}`]; looks < 200; looks++) {
          const found = yield* look(place, { limit, held, fullTurns, after })
          held.push(...idsOf(found.rows))
          const fromFirst = after === undefined
          after = found.upTo
          assert.isTrue(
            found.complete || !fromFirst || found.rows.length > 0,
            "a look that is not over brings something"
          )
          if (!found.complete) continue
          if (fullTurns.length === 0) break
          fullTurns = []
        }
        assert.sameMembers(held, idsOf(all))
        for (const recipient of ["ada", "bob", "cleo"]) {
          const mine = new Set(idsOf(all.filter(({ recipientKey }) => recipientKey.endsWith(recipient))))
          assert.deepStrictEqual(held.filter((id) => mine.has(id)), [...mine])
        }
      }),
    { arbitrary: { runs: 6 } }
  )
}
