import type { Rendered } from "#schemas/Rendered.ts"
import { Journal, type NewMessage } from "#src/delivery/Journal.ts"
import { MessageLog } from "#src/reports/MessageLog.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { Letter, mail } from "#test/src/content/Mails.ts"
import { render } from "#test/src/content/Rendering.ts"
import { assert, type Vitest } from "@effect/vitest"
import { Effect, Schema } from "effect"

/** The intent of a call that is given this. */
export const shows = (message: NewMessage, epoch: number, output: Rendered, number = 1) =>
  Fixture.step(message, epoch, {
    attempt: Fixture.attempt(number, "intent", { startedAt: message.enqueuedAt + number }),
    lifecycle: ["Route"],
    events: [
      {
        type: "RENDERED",
        ts: message.enqueuedAt + number,
        channel: "email",
        provider: "null",
        attempt: number,
        output
      }
    ]
  })

/** What a message's timeline says was rendered. */
export const shown = (message: NewMessage) =>
  Effect.map(
    MessageLog.use((log) => log.history(message.scope, message.id)),
    (history) => history.flatMap(({ output }) => output === undefined ? [] : [output])
  )

/** What every message log promises of what was rendered. */
export const outputs = (it: Vitest.MethodsNonLive<Journal | MessageLog>) => {
  it.effect.prop(
    "a mail is read as it was rendered, to the last character, whoever wrote it and in whatever page",
    { letters: Schema.Array(Letter).check(Schema.isMaxLength(6)) },
    Effect.fnUntraced(function*({ letters }) {
      const place = yield* Fixture.world
      const journal = yield* Journal
      const { epoch } = yield* journal.take(place.shard, "node", place.at)
      const mails = yield* Effect.forEach(
        letters,
        (letter) => Effect.map(Fixture.accepted(place), (message) => ({ message, output: mail(letter) }))
      )
      yield* Effect.forEach(mails, ({ message, output }) => journal.record(shows(message, epoch, output)), {
        concurrency: "unbounded"
      })
      for (const { message, output } of mails) assert.deepStrictEqual(yield* shown(message), [output])
    }),
    { arbitrary: { runs: 25 } }
  )

  it.effect("a later attempt's mail is told if it says something else, and only then", () =>
    Effect.gen(function*() {
      const { epoch, journal, message } = yield* Fixture.owned
      // Another content each time: renderings of one are one object.
      const said = (body: string) => render({ title: "Hi", body }, { channel: "email" })
      const mails = [said("once"), said("once"), said("twice")]
      for (const [n, output] of mails.entries()) yield* journal.record(shows(message, epoch, output, n + 1))
      assert.deepStrictEqual((yield* shown(message)).map(({ html }) => html), [mails[0]?.html, mails[2]?.html])
    }))
}
