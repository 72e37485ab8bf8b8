import { UserId } from "#schemas/Profile.ts"
import { Journal, type NewMessage } from "#src/delivery/Journal.ts"
import { Inbox } from "#src/reports/Inbox.ts"
import * as InboxReading from "#src/reports/InboxReading.ts"
import { MessageLog } from "#src/reports/MessageLog.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import * as Stores from "#test/layers/memory/Stores.ts"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"

/** The step that puts a message into ada's inbox, as its call with this number. */
const settled = ({ epoch, message, number, place }: {
  readonly place: Fixture.World
  readonly epoch: number
  readonly message: NewMessage
  readonly number: number
}) =>
  Fixture.step(message, epoch, {
    at: place.at,
    lifecycle: number === 1 ? ["Route", "Send"] : ["Send"],
    attempt: Fixture.attempt(number, "accepted", { channel: "inbox", provider: "inbox" }),
    dueAt: null,
    inbox: {
      userId: Fixture.user,
      tenantId: undefined,
      rendered: Fixture.rendered("hello"),
      createdAt: place.at,
      expiresAt: undefined
    }
  })

/** A message that is in ada's inbox. */
const delivered = Effect.gen(function*() {
  const { epoch, journal, message, place } = yield* Fixture.owned
  yield* journal.record(settled({ epoch, message, number: 1, place }))
  const reading = yield* InboxReading.make
  const log = yield* MessageLog
  const { scope } = place
  const status = ({ id }: Pick<NewMessage, "id"> = message) => Effect.map(log.get(scope, id), ({ status }) => status)
  const lines = Effect.map(
    log.history(scope, message.id),
    (all) =>
      all.filter(({ type }) => type === "OPENED" || type === "CLICKED").map(({ channel, type }) => `${type} ${channel}`)
  )
  return {
    lines,
    mark: (deed: InboxReading.Deed) => reading.mark(scope, Fixture.user, message.id, deed),
    message,
    reading,
    scope,
    status
  }
})

layer(Stores.layer)("InboxReading", (it) => {
  it.effect("a message that is opened or read is OPENED, once, and CLICKED when one of its actions is followed", () =>
    Effect.gen(function*() {
      const { lines, mark, status } = yield* delivered
      yield* mark({ archived: true })
      assert.strictEqual(yield* status(), "SENT", "who puts it away has not looked at it")
      yield* mark({ opened: true })
      assert.strictEqual(yield* status(), "OPENED")
      const { openedAt, readAt } = yield* mark({ read: true })
      assert.isDefined(openedAt)
      assert.isDefined(readAt)
      yield* mark({ read: false })
      yield* mark({ clicked: true })
      yield* mark({ clicked: true })
      assert.strictEqual(yield* status(), "CLICKED")
      assert.deepStrictEqual(yield* lines, ["OPENED inbox", "CLICKED inbox"])
    }))

  it.effect("who clicks has read and opened it", () =>
    Effect.gen(function*() {
      const { lines, mark, status } = yield* delivered
      const { archivedAt, openedAt, readAt } = yield* mark({ clicked: true })
      assert.isDefined(openedAt)
      assert.isDefined(readAt)
      assert.isUndefined(archivedAt)
      assert.strictEqual(yield* status(), "CLICKED")
      assert.deepStrictEqual(yield* lines, ["OPENED inbox", "CLICKED inbox"])
    }))

  it.effect("what is marked together with all others has not been looked at", () =>
    Effect.gen(function*() {
      const { mark, reading, scope, status } = yield* delivered
      yield* reading.markAll(scope, Fixture.user, { read: true }, undefined)
      assert.strictEqual(yield* status(), "SENT")
      assert.isUndefined((yield* mark({})).openedAt)
      assert.strictEqual(yield* Effect.flatMap(Inbox, (inbox) => inbox.unread(scope, Fixture.user)), 0)
    }))

  it.effect("what is not in the user's inbox tells nothing of its message", () =>
    Effect.gen(function*() {
      const { message, reading, scope, status } = yield* delivered
      const refused = yield* Effect.flip(reading.mark(scope, UserId.make("bob"), message.id, { clicked: true }))
      assert.strictEqual(refused._tag, "InboxItemNotFound")
      assert.strictEqual(yield* status(), "SENT")
    }))

  it.effect("P4: who opens a message in the inbox proves nothing of a mail of which nobody knows whether it was sent", () =>
    Effect.gen(function*() {
      const { epoch, journal, message, place } = yield* Fixture.owned
      yield* journal.record(Fixture.step(message, epoch, {
        lifecycle: ["Route"],
        attempt: Fixture.attempt(1, "unknown", { channel: "email", provider: "mail" })
      }))
      yield* journal.record(settled({ epoch, message, number: 2, place }))
      const reading = yield* InboxReading.make
      yield* reading.mark(place.scope, Fixture.user, message.id, { clicked: true })
      const log = yield* MessageLog
      const attempts = yield* log.attempts(place.scope, message.id)
      assert.deepStrictEqual(attempts.map(({ state }) => state), ["unknown", "accepted"])
      const events = yield* log.history(place.scope, message.id)
      assert.deepStrictEqual(
        events.slice(-2).map(({ attempt, channel, provider, type }) => [type, channel, provider, attempt]),
        [["OPENED", "inbox", "inbox", 2], ["CLICKED", "inbox", "inbox", 2]]
      )
      assert.strictEqual((yield* log.get(place.scope, message.id)).status, "CLICKED")
    }))

  it.effect("an item outlives its message", () =>
    Effect.gen(function*() {
      const { message, scope } = yield* delivered
      const gone = Journal.of({
        ...(yield* Journal),
        observe: (observed) =>
          Effect.flatMap(Journal, (journal) => journal.observe({ ...observed, id: Fixture.id(0) }))
            .pipe(Effect.provide(Stores.layer))
      })
      const reading = yield* InboxReading.make.pipe(Effect.provideService(Journal, gone))
      const { readAt } = yield* reading.mark(scope, Fixture.user, message.id, { clicked: true })
      assert.isDefined(readAt)
    }))
})
