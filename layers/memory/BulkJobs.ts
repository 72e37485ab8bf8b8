import { Database } from "#layers/memory/Database.ts"
import { type BulkJobRow, nameOf, type State } from "#layers/memory/State.ts"
import { BulkMessage, BulkUser } from "#schemas/Bulk.ts"
import type { Scope } from "#schemas/Scope.ts"
import { SecretKey } from "#src/access/SecretKey.ts"
import * as TypeId from "#src/access/TypeId.ts"
import {
  type Batch,
  type Job,
  JobClosed,
  JobNotFound,
  Jobs,
  type JobUser,
  longestClosing,
  type NewUser,
  type Running
} from "#src/delivery/bulk/Jobs.ts"
import { Place } from "#src/delivery/Expansion.ts"
import * as Ids from "#src/delivery/intake/Ids.ts"
import * as Cursor from "#src/paging/Cursor.ts"
import * as IdPages from "#src/paging/IdPages.ts"
import * as PageBytes from "#src/paging/PageBytes.ts"
import { Clock, Effect, HashMap, Layer, Option, Result, Schema } from "effect"

const definitionText = Schema.fromJsonString(BulkMessage)
const userText = Schema.fromJsonString(BulkUser)
const encodeDefinition = Schema.encodeSync(definitionText)
const decodeDefinition = Schema.decodeSync(definitionText)
const encodeUser = Schema.encodeSync(userText)
const decodeUser = Schema.decodeSync(userText)
const decodePlace = Schema.decodeSync(Schema.fromJsonString(Place))

const find = (state: State, scope: Scope, id: string): BulkJobRow | undefined =>
  Option.getOrUndefined(HashMap.get(state.bulkJobs, nameOf(scope, id)))

const put = (state: State, row: BulkJobRow): State => ({
  ...state,
  bulkJobs: HashMap.set(state.bulkJobs, nameOf(row.scope, row.id), row)
})

/** The next users of a job from a position on. */
const batchOf = (
  state: State,
  { from, id, limit, scope }: {
    readonly scope: Scope
    readonly id: string
    readonly from: number
    readonly limit: number
  },
  isWanted: (user: BulkJobRow["users"][number]) => boolean
): Batch => {
  const rows = (find(state, scope, id)?.users ?? []).map((row, position) => ({ ...row, position }))
    .filter((row) => row.position >= from && isWanted(row))
  const users = PageBytes.fitting(rows.slice(0, limit), ({ user }) => user.length)
  return { users: users.map((row) => ({ ...row, user: decodeUser(row.user) })), isLast: users.length === rows.length }
}

const runningOf = (state: State, { requestId, scope }: BulkJobRow): Running | undefined => {
  if (requestId === undefined) return undefined
  const request = Option.getOrUndefined(HashMap.get(state.expansions, nameOf(scope, requestId)))
  if (request === undefined) return undefined
  const { index, made } = decodePlace(request.place)
  return { state: request.state, messages: request.messages, index, isNumbered: made !== undefined }
}

/** A job, without its users; `undefined` if there is none. */
export const jobOf = (state: State, scope: Scope, id: string): Job | undefined => {
  const row = find(state, scope, id)
  return row && {
    id,
    definition: decodeDefinition(row.definition),
    received: row.users.length,
    failures: row.users.filter(({ error }) => error !== undefined).length,
    requestId: row.requestId,
    running: runningOf(state, row)
  }
}

/** All users of a job, in their order. */
export const usersOf = (state: State, scope: Scope, id: string): ReadonlyArray<JobUser> =>
  (find(state, scope, id)?.users ?? []).map((one, position) => ({ ...one, user: decodeUser(one.user), position }))

/** Whom a job has already, and the job with the others. */
const added = (row: BulkJobRow, users: ReadonlyArray<NewUser>): readonly [ReadonlySet<string>, BulkJobRow] => {
  const stored = new Set(row.users.map(({ key }) => key))
  const known = new Set(users.map(({ key }) => key).filter((key) => stored.has(key)))
  const fresh = users.filter(({ key }) => !known.has(key)).map((one) => ({ ...one, user: encodeUser(one.user) }))
  return [known, { ...row, users: [...row.users, ...fresh] }]
}

/** Bulk jobs in memory. */
export const layer = Layer.effect(
  Jobs,
  Effect.gen(function*() {
    const { modify, read, update } = yield* Database
    const cursors = Cursor.make(yield* SecretKey)
    const newId = yield* TypeId.generator("job")
    const newRequest = yield* Ids.generator

    return Jobs.of({
      create: Effect.fnUntraced(function*(scope, definition) {
        const id = yield* newId
        const row = { scope, id, definition: encodeDefinition(definition), requestId: undefined, users: [] }
        yield* update((state) => put(state, row))
        return id
      }),
      add: Effect.fnUntraced(function*(scope, id, users) {
        const answer = yield* modify<Result.Result<ReadonlySet<string>, JobNotFound | JobClosed>>((state) => {
          const row = find(state, scope, id)
          if (row === undefined) return [Result.fail(new JobNotFound({ id })), state]
          if (row.requestId !== undefined) return [Result.fail(new JobClosed({ id })), state]
          const [known, next] = added(row, users)
          return [Result.succeed(known), put(state, next)]
        })
        return yield* Effect.fromResult(answer)
      }),
      close: Effect.fnUntraced(function*(scope, id) {
        const now = yield* Clock.currentTimeMillis
        const request = yield* newRequest(now)
        const closed = yield* modify((state) => {
          const row = find(state, scope, id)
          if (row === undefined) return [undefined, state]
          const before = row.requestId
          const isCurrent = before !== undefined &&
            (before >= Ids.from(now - longestClosing) || runningOf(state, row) !== undefined)
          const requestId = isCurrent ? before : request
          return [requestId, put(state, { ...row, requestId })]
        })
        return closed ?? (yield* new JobNotFound({ id }))
      }),
      find: Effect.fnUntraced(function*(scope, id) {
        const job = yield* read((state) => jobOf(state, scope, id))
        return job ?? (yield* new JobNotFound({ id }))
      }),
      users: Effect.fnUntraced(function*(scope, id, { cursor, limit }) {
        const sealed: Cursor.List = { scope, route: "users of a bulk job", filters: [id] }
        const after = yield* IdPages.after(cursors, sealed, cursor)
        const from = after === undefined ? 0 : Number(after) + 1
        const { isLast, users } = yield* read((state) => batchOf(state, { scope, id, from, limit }, () => true))
        return IdPages.of(cursors, sealed, users, isLast, ({ position }) => String(position))
      }),
      sendable: (scope, id, from, limit) =>
        read((state) => batchOf(state, { scope, id, from, limit }, ({ error }) => error === undefined))
    })
  })
)
