import * as Addressing from "#src/delivery/intake/Addressing.ts"
import { encodePlace, start } from "#src/delivery/Expansion.ts"
import { Expansions } from "#src/delivery/expansion/Expansions.ts"
import * as Ids from "#src/delivery/intake/Ids.ts"
import { Journal } from "#src/delivery/Journal.ts"
import type * as Recipients from "#src/delivery/intake/Recipients.ts"
import { MessageLog } from "#src/reports/MessageLog.ts"
import { UserId } from "#schemas/Profile.ts"
import { Profiles } from "#src/people/Profiles.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, Exit, type Layer } from "effect"
import { SqlClient } from "effect/sql"
import { randomBytes } from "node:crypto"

/** Longer than what an index takes, and nothing that it could make shorter. */
const overlong = () => randomBytes(4_000).toString("base64url")

/** What no Postgres takes, however long one waits: values that columns take and their indexes do not, and questions that are none. */
export const refusals = <E>(
  name: string,
  stores: Layer.Layer<Expansions | Journal | MessageLog | Profiles | SqlClient.SqlClient, E>
) =>
  layer(stores)(`What the database refuses: ${name}`, (it) => {
    it.effect("a name that cannot be asked for is a defect of who asks, alone, and no unavailable store", () =>
      Effect.gen(function*() {
        const { scope } = yield* Fixture.world
        const { find } = yield* Profiles
        const asked = ["ada", "b\u0000b", "cleo"].map((name) =>
          Effect.exit(find(scope, UserId.make(name, { disableChecks: true })))
        )
        const exits = yield* Effect.all(asked, { concurrency: "unbounded" })
        assert.deepStrictEqual(exits.map(Exit.isSuccess), [true, false, true])
        assert.deepStrictEqual(exits.map(Exit.hasDies), [false, true, false])
      }))

    it.effect("a row that does not decode is a defect of who asks for it, alone, and no unavailable store", () =>
      Effect.gen(function*() {
        const { scope } = yield* Fixture.world
        const sql = yield* SqlClient.SqlClient
        const { document, find, merge } = yield* Profiles
        const users = ["ada", "bob", "cleo"].map((name) => UserId.make(name))
        for (const user of users) yield* merge(scope, user, { name: user })
        yield* sql`update profiles set profile = '"no object"' where scope = ${scope} and user_id = 'bob'`
        for (const ask of [find, document]) {
          const asked = users.map((user) => Effect.exit<unknown, unknown, never>(ask(scope, user)))
          const exits = yield* Effect.all(asked, { concurrency: "unbounded" })
          assert.deepStrictEqual(exits.map(Exit.isSuccess), [true, false, true])
          assert.deepStrictEqual(exits.map(Exit.hasDies), [false, true, false])
        }
      }))

    for (const column of ["tenantId", "recipientKey", "recipientName", "traceId"] as const) {
      it.effect(`a message whose ${column} is refused fails alone, and its neighbours of the same flush are stored`, () =>
        Effect.gen(function*() {
          const place = yield* Fixture.world
          const journal = yield* Journal
          const log = yield* MessageLog
          const messages = [{}, { [column]: overlong() }, {}].map((more) => Fixture.message(place, more))
          const exits = yield* Effect.forEach(
            messages,
            (message) => Effect.exit(journal.accept(Fixture.acceptance(place, [message]))),
            { concurrency: "unbounded" }
          )
          assert.deepStrictEqual(exits.map(Exit.isSuccess), [true, false, true])
          const refused = yield* Effect.flip(journal.accept(Fixture.acceptance(place, messages.slice(1, 2))))
          assert.strictEqual(refused._tag, "RowRefused")
          for (const { id } of [messages[0], messages[2]].flatMap((message) => message ?? [])) {
            assert.strictEqual((yield* log.get(place.scope, id)).id, id)
          }
        }))
    }

    it.effect("a page with such a message is refused, so that its request is set aside and others go on", () =>
      Effect.gen(function*() {
        const place = yield* Fixture.world
        const journal = yield* Journal
        const expansions = yield* Expansions
        const { epoch } = yield* journal.take(place.shard, "node", place.at)
        const expansion = {
          id: Fixture.id(place.at),
          scope: place.scope,
          shard: place.shard,
          keyState: "published" as const,
          recipients: [{ list_id: "everyone" }],
          instructions: { content: { title: "Hello", body: "World" }, tenant_id: overlong() }
        }
        yield* journal.accept({ ...Fixture.acceptance(place, []), expansion })
        const request = { ...expansion, acceptedAt: place.at }
        const recipient = { user_id: "ada" }
        const identity = { key: `${place.scope}:user:ada`, name: "ada" } satisfies Recipients.Identity
        const member = Addressing.member(request, Ids.member(expansion.id, identity.key), recipient, identity, 64)
        const refused = yield* Effect.flip(expansions.advance({
          expansion,
          owner: epoch,
          at: place.at + 5,
          from: encodePlace(start),
          to: encodePlace({ index: 1 }),
          page: { common: Addressing.common(request, "bulk", place.at + 5), members: [member], profiles: [] },
          tries: 0,
          epoch,
          state: "COMPLETED",
          dueAt: null
        }))
        assert.strictEqual(refused._tag, "RowRefused")
      }))
  })
