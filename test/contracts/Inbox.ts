import type { MessageId } from "#schemas/MessageId.ts"
import { UserId } from "#schemas/Profile.ts"
import { type InboxItem, Journal } from "#src/delivery/Journal.ts"
import type { PageQuery } from "#src/paging/Page.ts"
import { Inbox, type InboxQuery, type Marking, mostUnread, unmarked } from "#src/reports/Inbox.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import * as Walk from "#test/contracts/Walk.ts"
import { assert, layer } from "@effect/vitest"
import { Clock, Effect, type Layer } from "effect"
import { TestClock } from "effect/testing"

const deliver = Effect.fnUntraced(function*(place: Fixture.World, epoch: number, item: InboxItem) {
  const journal = yield* Journal
  const message = yield* Fixture.accepted(place, { enqueuedAt: item.createdAt })
  const step = Fixture.step(message, epoch, {
    at: item.createdAt,
    lifecycle: ["Route", "Send"],
    attempt: Fixture.attempt(1, "accepted", { channel: "inbox", provider: "inbox" }),
    dueAt: null,
    inbox: item
  })
  yield* journal.record(step)
  return { message, step }
})

const item = (createdAt: number, more: Partial<InboxItem> = {}): InboxItem => ({
  userId: Fixture.user,
  tenantId: undefined,
  rendered: Fixture.rendered("hello"),
  createdAt,
  expiresAt: undefined,
  ...more
})

const start = Effect.gen(function*() {
  const place = yield* Fixture.world
  const journal = yield* Journal
  const { epoch } = yield* journal.take(place.shard, "node", place.at)
  return { place, epoch, journal, inbox: yield* Inbox }
})

/** What every inbox promises of what the journal's settles put there. */
export const inboxContract = <E>(name: string, stores: Layer.Layer<Journal | Inbox, E>) =>
  layer(stores)(`Inbox: ${name}`, (it) => {
    it.effect("an item appears with the settle of its message, whole", () =>
      Effect.gen(function*() {
        const { epoch, inbox, place } = yield* start
        const rendered = { ...Fixture.rendered("\u0000 \ud800"), html: "1e200000", blocks: [], actions: [] }
        const { message } = yield* deliver(place, epoch, item(place.at + 3, { tenantId: "acme", rendered }))
        assert.deepStrictEqual(yield* inbox.list(place.scope, Fixture.user, { limit: 10, cursor: undefined }), {
          items: [{
            messageId: message.id,
            rendered,
            tenantId: "acme",
            createdAt: place.at + 3,
            expiresAt: undefined,
            ...unmarked
          }],
          cursor: undefined
        })
      }))

    it.effect("a repeated settle leaves one item, the first", () =>
      Effect.gen(function*() {
        const { epoch, inbox, journal, place } = yield* start
        const { step } = yield* deliver(place, epoch, item(place.at))
        yield* journal.record(step)
        yield* journal.record({ ...step, inbox: item(place.at, { rendered: Fixture.rendered("again") }) })
        const { items } = yield* inbox.list(place.scope, Fixture.user, { limit: 10, cursor: undefined })
        assert.deepStrictEqual(items.map((found) => found.rendered.title), ["hello"])
      }))

    it.effect("an item's time is its own, not its settle's", () =>
      Effect.gen(function*() {
        const { epoch, inbox, journal, place } = yield* start
        const message = yield* Fixture.accepted(place)
        yield* journal.record(Fixture.step(message, epoch, { at: place.at + 900, inbox: item(place.at + 1) }))
        const { items } = yield* inbox.list(place.scope, Fixture.user, { limit: 10, cursor: undefined })
        assert.deepStrictEqual(items.map((found) => found.createdAt), [place.at + 1])
      }))

    it.effect("an item is there until it expires, and is deleted then", () =>
      Effect.gen(function*() {
        const { epoch, inbox, place } = yield* start
        const now = yield* Clock.currentTimeMillis
        yield* deliver(place, epoch, item(place.at, { expiresAt: now + 1_000, rendered: Fixture.rendered("brief") }))
        yield* deliver(place, epoch, item(place.at + 1, { expiresAt: now + 9_000, rendered: Fixture.rendered("long") }))
        yield* deliver(place, epoch, item(place.at + 2))
        const titles = Effect.map(
          inbox.list(place.scope, Fixture.user, { limit: 10, cursor: undefined }),
          ({ items }) => items.map((found) => found.rendered.title)
        )
        yield* TestClock.adjust(999)
        assert.deepStrictEqual(yield* titles, ["hello", "long", "brief"])
        assert.strictEqual(yield* inbox.sweep(100), 0)
        yield* TestClock.adjust(1)
        assert.deepStrictEqual(yield* titles, ["hello", "long"])
        assert.strictEqual(yield* inbox.sweep(100), 1)
        yield* TestClock.adjust(8_000)
        assert.strictEqual(yield* inbox.sweep(100), 1)
        assert.strictEqual(yield* inbox.sweep(100), 0)
        assert.deepStrictEqual(yield* titles, ["hello"])
      }))

    it.effect("P10: users and environments have inboxes of their own", () =>
      Effect.gen(function*() {
        const { epoch, inbox, place } = yield* start
        const other = yield* start
        yield* deliver(place, epoch, item(place.at))
        yield* deliver(other.place, other.epoch, item(other.place.at, { rendered: Fixture.rendered("theirs") }))
        const mine = yield* inbox.list(place.scope, Fixture.user, { limit: 10, cursor: undefined })
        const nobody = yield* inbox.list(place.scope, UserId.make("Ada"), { limit: 10, cursor: undefined })
        assert.deepStrictEqual(mine.items.map((found) => found.rendered.title), ["hello"])
        assert.deepStrictEqual(nobody.items, [])
      }))

    it.effect("newest first, in pages that hold still while more arrives", () =>
      Effect.gen(function*() {
        const { epoch, inbox, place } = yield* start
        const offsets = [3, 1, 2, 2, 2, 1_000, 5, 0]
        yield* Effect.forEach(offsets, (after) => deliver(place, epoch, item(place.at + after)))
        const seen: Array<{ readonly id: string; readonly at: number }> = []
        let cursor: string | undefined
        do {
          const page = yield* inbox.list(place.scope, Fixture.user, { limit: 3, cursor })
          seen.push(...page.items.map((found) => ({ id: found.messageId, at: found.createdAt - place.at })))
          cursor = page.cursor
          yield* deliver(place, epoch, item(place.at + 2_000))
        } while (cursor !== undefined)
        assert.deepStrictEqual(seen.map((found) => found.at), offsets.toSorted((a, b) => b - a))
        assert.lengthOf([...new Set(seen.map((found) => found.id))], offsets.length)
      }))

    it.effect("a mark keeps its time until it is taken back; what is not said stays", () =>
      Effect.gen(function*() {
        const { epoch, inbox, place } = yield* start
        const { message } = yield* deliver(place, epoch, item(place.at))
        const mark = (marking: Marking) =>
          Effect.map(inbox.mark(place.scope, Fixture.user, message.id, marking), ({ archivedAt, openedAt, readAt }) => [
            readAt,
            openedAt,
            archivedAt
          ])
        const now = yield* Clock.currentTimeMillis
        assert.deepStrictEqual(yield* mark({}), [undefined, undefined, undefined])
        assert.deepStrictEqual(yield* mark({ read: true, opened: true }), [now, now, undefined])
        yield* TestClock.adjust(5)
        assert.deepStrictEqual(yield* mark({ read: true, archived: true }), [now, now, now + 5])
        assert.deepStrictEqual(yield* mark({ read: false, archived: false }), [undefined, now, undefined])
        assert.deepStrictEqual(yield* mark({ read: true }), [now + 5, now, undefined])
        const { items } = yield* inbox.list(place.scope, Fixture.user, { limit: 10, cursor: undefined })
        assert.deepInclude(items[0], { readAt: now + 5, openedAt: now, archivedAt: undefined })
        assert.strictEqual(items[0]?.rendered.title, "hello")
      }))

    it.effect("P10: nobody marks what is not in the user's inbox, or is in it no more", () =>
      Effect.gen(function*() {
        const { epoch, inbox, place } = yield* start
        const other = yield* start
        const now = yield* Clock.currentTimeMillis
        const { message } = yield* deliver(place, epoch, item(place.at, { expiresAt: now + 9 }))
        const refused = (scope: typeof place.scope, user: string) =>
          Effect.map(Effect.flip(inbox.mark(scope, UserId.make(user), message.id, { read: true })), ({ _tag }) => _tag)
        assert.strictEqual(yield* refused(place.scope, "bob"), "InboxItemNotFound")
        assert.strictEqual(yield* refused(other.place.scope, Fixture.user), "InboxItemNotFound")
        yield* inbox.markAll(place.scope, UserId.make("bob"), { read: true }, undefined)
        yield* inbox.markAll(other.place.scope, Fixture.user, { read: true }, undefined)
        assert.strictEqual(yield* inbox.unread(place.scope, Fixture.user), 1)
        assert.strictEqual(yield* inbox.unread(other.place.scope, Fixture.user), 0)
        yield* TestClock.adjust(9)
        assert.strictEqual(yield* refused(place.scope, Fixture.user), "InboxItemNotFound")
        assert.strictEqual(yield* inbox.unread(place.scope, Fixture.user), 0)
      }))

    it.effect("lists and counts are of what is unread, read or archived", () =>
      Effect.gen(function*() {
        const { epoch, inbox, place } = yield* start
        const made = yield* Effect.forEach([0, 1, 2, 3], (after) => deliver(place, epoch, item(place.at + after)))
        const [old, read, archived, fresh] = made.map(({ message }) => message.id)
        const list = (query: Partial<InboxQuery> = {}) =>
          Effect.map(
            inbox.list(place.scope, Fixture.user, { limit: 10, cursor: undefined, ...query }),
            ({ items }) => items.map(({ messageId }) => messageId)
          )
        const mark = (id: MessageId | undefined, marking: Marking) =>
          id === undefined ? Effect.void : inbox.mark(place.scope, Fixture.user, id, marking)
        yield* mark(read, { read: true })
        yield* mark(archived, { archived: true })
        assert.deepStrictEqual(yield* list(), [fresh, read, old])
        assert.deepStrictEqual(yield* list({ isRead: false }), [fresh, old])
        assert.deepStrictEqual(yield* list({ isRead: true }), [read])
        assert.deepStrictEqual(yield* list({ isArchived: true }), [archived])
        assert.deepStrictEqual(yield* list({ isArchived: true, isRead: true }), [])
        assert.strictEqual(yield* inbox.unread(place.scope, Fixture.user), 2)

        const { cursor } = yield* inbox.list(place.scope, Fixture.user, { limit: 1, cursor: undefined, isRead: false })
        assert.deepStrictEqual(yield* list({ isRead: false, cursor }), [old])
        assert.strictEqual(
          (yield* Effect.flip(inbox.list(place.scope, Fixture.user, { limit: 1, cursor })))._tag,
          "InvalidCursor"
        )
        yield* inbox.markAll(place.scope, Fixture.user, { archived: true }, true)
        assert.deepStrictEqual(yield* list(), [fresh, old])
        yield* inbox.markAll(place.scope, Fixture.user, { read: true }, undefined)
        assert.deepStrictEqual(yield* list({ isRead: true }), [fresh, old])
        assert.deepStrictEqual(yield* list({ isArchived: true, isRead: false }), [archived], "what is put away stays")
      }))

    it.effect("what its reader has opened elsewhere counts as read; what was opened here is marked here (api.md 25.2)", () =>
      Effect.gen(function*() {
        const { epoch, inbox, journal, place } = yield* start
        const at = yield* Clock.currentTimeMillis
        const made = yield* Effect.forEach([0, 1, 2, 3], (after) => deliver(place, epoch, item(place.at + after)))
        const [opened, clicked, inside, others] = made.map(({ message }) => message.id)
        const observe = (id: MessageId | undefined, event: "Click" | "Deliver" | "Open", channel: string) =>
          id === undefined ? Effect.void : journal.observe({
            scope: place.scope,
            id,
            event,
            history: { type: event === "Click" ? "CLICKED" : "OPENED", ts: at, channel },
            eventId: `${event} ${channel}`
          })
        const read = Effect.map(
          inbox.list(place.scope, Fixture.user, { limit: 10, cursor: undefined, isRead: true }),
          ({ items }) => items.map(({ messageId, openedAt, readAt }) => [messageId, openedAt, readAt])
        )
        yield* observe(opened, "Open", "email")
        yield* observe(inside, "Open", "inbox")
        yield* observe(others, "Deliver", "email")
        assert.deepStrictEqual(yield* read, [[opened, at, at]])
        yield* TestClock.adjust(5)
        yield* observe(opened, "Click", "email")
        yield* journal.observeAll(
          clicked === undefined ? [] : [{
            scope: place.scope,
            id: clicked,
            event: "Click",
            history: { type: "CLICKED", ts: at, channel: "sms" }
          }]
        )
        assert.deepStrictEqual(yield* read, [[clicked, at + 5, at + 5], [opened, at, at]])
      }))

    it.effect("unread items are counted up to a bound", () =>
      Effect.gen(function*() {
        const { epoch, inbox, place } = yield* start
        yield* Effect.forEach(
          Array.from({ length: mostUnread + 1 }, (_, n) => n),
          (after) => deliver(place, epoch, item(place.at + after))
        )
        assert.strictEqual(yield* inbox.unread(place.scope, Fixture.user), mostUnread)
      }))

    it.effect("P10: a cursor of another user, another scope or no list at all is refused", () =>
      Effect.gen(function*() {
        const { epoch, inbox, place } = yield* start
        const other = yield* start
        yield* Effect.forEach([1, 2], (after) => deliver(place, epoch, item(place.at + after)))
        const { cursor = "" } = yield* inbox.list(place.scope, Fixture.user, { limit: 1, cursor: undefined })
        assert.isNotEmpty(cursor)
        const refused = yield* Effect.all([
          Effect.flip(inbox.list(place.scope, UserId.make("bob"), { limit: 1, cursor })),
          Effect.flip(inbox.list(other.place.scope, Fixture.user, { limit: 1, cursor })),
          Effect.flip(inbox.list(place.scope, Fixture.user, { limit: 1, cursor: "made up" }))
        ])
        assert.deepStrictEqual(refused.map((error) => error._tag), ["InvalidCursor", "InvalidCursor", "InvalidCursor"])
      }))

    it.effect("a page ends early where messages are large, and has one at least", () =>
      Effect.gen(function*() {
        const { epoch, inbox, place } = yield* start
        const ids = yield* Effect.forEach(Walk.large, (text, n) =>
          Effect.map(
            deliver(place, epoch, item(place.at + 4 - n, { rendered: { ...Fixture.rendered("large"), html: text } })),
            ({ message }) => message.id
          ))
        const list = (page: PageQuery) => inbox.list(place.scope, Fixture.user, page)
        yield* Walk.early(list, ({ messageId }) => messageId, ids)
      }))
  })
