import * as Events from "#layers/postgres/journal/Events.ts"
import * as Expand from "#layers/postgres/journal/Expand.ts"
import * as Frames from "#layers/postgres/journal/Frames.ts"
import * as Outputs from "#layers/postgres/journal/Outputs.ts"
import * as Record from "#layers/postgres/journal/Record.ts"
import { Scope } from "#schemas/Scope.ts"
import * as Addressing from "#src/delivery/intake/Addressing.ts"
import { encodePlace } from "#src/delivery/Expansion.ts"
import type { PageMember } from "#src/delivery/expansion/Expansions.ts"
import * as Ids from "#src/delivery/intake/Ids.ts"
import type { Step } from "#src/delivery/Journal.ts"
import * as Outcome from "#src/delivery/attempts/Outcome.ts"
import { pageSize } from "#src/delivery/expansion/Paging.ts"
import { ShardCount } from "#src/delivery/shards/ShardCount.ts"
import { Array, Clock, Effect, Schema, Stream } from "effect"
import { SqlClient } from "effect/sql"

/** Steps per statement, as in the journal. */
const mostSteps = 512

const instructions = {
  content: { title: "Hello", body: "Hello from the bench" },
  routing: { method: "single" as const, channels: ["email"] }
}
const candidate = { _tag: "Candidate" as const, channel: "email", provider: "null", timeout: undefined }

const decodeEpochs = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ shard: Schema.Int, epoch: Schema.Number }))
)

const decodeTimelines = Schema.decodeUnknownEffect(
  Schema.Tuple([
    Schema.Struct({
      events: Schema.fromJsonString(Events.Stored),
      output: Schema.fromJsonString(Outputs.Stored)
    })
  ])
)

/**
 * Writes the rows of a request to `count` users by the engine's own statements, without the engine: pages of messages
 * with their intents and, following them, the outcomes of those messages. Answers messages per second. The store must
 * have partitions and epochs already, so a server must have run on it.
 */
export const rate = Effect.fnUntraced(function*(count: number) {
  const sql = yield* SqlClient.SqlClient
  const shards = yield* ShardCount
  const advance = Expand.write(sql)
  const record = Record.write(sql)
  const rows = yield* sql`select shard, epoch::float8 as epoch from epochs`.pipe(Effect.flatMap(decodeEpochs))
  const epochs = new Map(rows.map(({ epoch, shard }) => [shard, epoch]))
  const [shown] = yield* sql`select a.intent_events as events, o.rendered as output from attempts a
    join outputs o on o.scope = a.scope and o.message_id = a.output_of and o.number = a.number limit 1`.pipe(
    Effect.flatMap(decodeTimelines)
  )
  const scope = Scope.make(1)
  const { frame } = shown.output
  const frames = yield* Frames.find(sql)(scope, frame === undefined ? [] : [frame.name])
  const events = Events.withOutput(Events.of(shown.events), Outputs.whole(shown.output, frames))
  const at = yield* Clock.currentTimeMillis
  const id = Ids.make(at, new Uint8Array(12))
  const request: Addressing.Request = { id, scope, keyState: "published", instructions, acceptedAt: at }
  const common = Addressing.common(request, "bulk", at)
  const place = (index: number) => encodePlace({ index })
  yield* sql`insert into expansions (scope, id, shard, key_state, recipients, instructions, place, state, due_at,
    accepted_at, advanced_at) values (1, ${id}, 0, 'published', '', '', ${place(0)}, 'RUNNING', 0, 0, 0)`

  const intent = Outcome.intent(1, candidate, at)
  const begun = (member: PageMember): Step => ({
    message: { id: member.id, scope, shard: member.shard, lane: "bulk", dueAt: 0 },
    epoch: epochs.get(member.shard) ?? 0,
    at,
    attempt: intent,
    lifecycle: ["Route"],
    conditional: true,
    events
  })
  const ended = (member: PageMember): Step => ({
    ...begun(member),
    attempt: Outcome.accepted(intent, at),
    lifecycle: ["Send"],
    conditional: false,
    dueAt: null,
    events: [{ type: "SENT", ts: at, channel: intent.channel, provider: intent.provider, attempt: intent.number }]
  })

  const page = Effect.fnUntraced(function*(first: number) {
    const members = Array.makeBy(Math.min(pageSize, count - first), (n) => {
      const name = `user-${String(first + n + 1).padStart(8, "0")}`
      const identity = { key: `${scope}:user:${name}`, name }
      const recipient = { user_id: name, list_id: "everyone" }
      return Addressing.member(request, Ids.at(id, first + n), recipient, identity, shards)
    })
    yield* advance(
      {
        expansion: { id, scope, shard: 0 },
        owner: epochs.get(0) ?? 0,
        at,
        from: place(first),
        to: place(first + pageSize),
        page: { common, members, profiles: [] },
        intents: members.map(begun),
        tries: 0,
        epoch: 0,
        state: "RUNNING",
        dueAt: 0
      },
      false
    )
    return members
  })

  const begin = yield* Clock.monotonicTimeNanos
  yield* Stream.range(0, Math.ceil(count / pageSize) - 1).pipe(
    Stream.mapEffect((number) => page(number * pageSize)),
    Stream.buffer({ capacity: 4 }),
    Stream.runForEach((members) =>
      Effect.forEach(Array.chunksOf(members.map(ended), mostSteps), (steps) => record(steps, false), { discard: true })
    )
  )
  return count / (Number((yield* Clock.monotonicTimeNanos) - begin) / 1e9)
})
