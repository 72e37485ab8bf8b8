import type { MessageId } from "#schemas/MessageId.ts"
import { Journal, type Window } from "#src/delivery/Journal.ts"
import * as OpenMessage from "#src/delivery/journal/OpenMessage.ts"
import type { DueRow } from "#src/delivery/journal/OpenMessage.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { idsOf, look } from "#test/contracts/JournalDue.ts"
import { assert, type Vitest } from "@effect/vitest"
import { Effect, Schema } from "effect"

/** How tenants and environments share what the owner of shards reads: its rows and its bytes. */
export const turns = (it: Vitest.MethodsNonLive<Journal>) => {
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
        { length: 100 },
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
      for (let looks = 0; looks < 1_000; looks++) {
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

  it.effect.each([false, true])(
    "a tenant's rows whose recipients wait in another's backlog hold up none of its others (that one is full: %s)",
    (isFull) =>
      Effect.gen(function*() {
        const place = yield* Fixture.world
        const of = (tenantId: string) => (_: unknown, n: number) =>
          Fixture.message(place, { tenantId, recipientKey: `r${n}` })
        const crowd = Array.from({ length: 600 }, of("crowd"))
        const waiting = Array.from({ length: 600 }, of("mine")).slice(400)
        const free = Fixture.message(place, { tenantId: "mine", recipientKey: "free" })
        yield* (yield* Journal).accept(Fixture.acceptance(place, [...crowd, ...waiting, free]))
        const held: Array<MessageId> = []
        let last: Pick<Window, "after" | "heldUp"> = {}
        for (let looks = 0, isOver = false; looks < 2_000 && !isOver && !held.includes(free.id); looks++) {
          const fullTurns = isFull ? [`${place.scope}:crowd`] : []
          const found = yield* look(place, { limit: 20, held, fullTurns, ...last })
          held.push(...idsOf(found.rows))
          last = { after: found.upTo, heldUp: found.heldUp }
          isOver = found.complete
        }
        assert.include(held, free.id)
        assert.isBelow(held.length, isFull ? 2 : 400)
      })
  )

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
        let heldUp: Window["heldUp"]
        for (let looks = 0, fullTurns = [`${place.scope}:${full}`]; looks < 200; looks++) {
          const found = yield* look(place, { limit, held, fullTurns, after, heldUp })
          held.push(...idsOf(found.rows))
          const fromFirst = after === undefined
          after = found.upTo
          heldUp = found.heldUp
          assert.isTrue(
            found.complete || !fromFirst || found.rows.length > 0 || heldUp.size > 0,
            "a look that is not over brings something, or comes further"
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
