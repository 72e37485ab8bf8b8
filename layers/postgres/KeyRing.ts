import * as ApiKeys from "#layers/postgres/ApiKeys.ts"
import { Environment, KeyState, Scope } from "#schemas/Scope.ts"
import type { KeysUnseen } from "#src/access/ApiKeys.ts"
import * as KeyText from "#src/access/KeyText.ts"
import { Audit } from "#src/reports/Audit.ts"
import { Effect, Redacted, Schema } from "effect"
import { SqlClient } from "effect/sql"

/** No key has that name, or is that text. */
export class NoSuchKey extends Schema.TaggedError<NoSuchKey>()("NoSuchKey", {}) {
  override get message(): string {
    return "No API key has that name: see them with tidings keys"
  }
}

/** Without it there would be none, and the next start would take the store for a new one and make four. */
export class LastKey extends Schema.TaggedError<LastKey>()("LastKey", {}) {
  override get message(): string {
    return "That is the last API key: make another one first, with tidings new-key"
  }
}

/** A key as it may be shown. */
export interface NamedKey {
  readonly name: string
  readonly scope: Scope
  readonly environment: Environment
  readonly state: KeyState
  /** Epoch ms. */
  readonly createdAt: number
}

const decode = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({
  digest: Schema.String,
  scope: Scope,
  environment: Environment,
  state: KeyState,
  createdAt: Schema.Number
})))

const rows = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  return yield* decode(
    yield* sql`select digest, scope, environment, state, k.created_at::float8 as "createdAt"
      from api_keys k join scopes s on s.id = k.scope order by scope, state desc, k.created_at, digest`
  )
})

const named = ({ digest, ...row }: Effect.Success<typeof rows>[number]): NamedKey => ({
  ...row,
  name: KeyText.nameOf(KeyText.prefixOf(row.environment, row.state), digest)
})

/** All keys, by environment and state, the oldest first. */
export const list = Effect.map(rows, (keys) => keys.map(named))

const audited = Effect.fnUntraced(function*(type: string, { name, scope }: NamedKey) {
  const { record } = yield* Audit
  yield* record(scope, { type, source: "cli", target: `api-keys/${name}`, actor: { id: "operator" } })
})

const together = <A, E, R>(change: Effect.Effect<A, E, R>) =>
  SqlClient.SqlClient.use((sql) => sql.withTransaction(Effect.andThen(ApiKeys.alone(sql), change)))

/** Runs what puts other keys in the place of all, and records which went and which came. */
export const replacing = <E, R>(replace: Effect.Effect<unknown, E, R>) =>
  together(Effect.gen(function*() {
    const before = yield* list
    yield* replace
    yield* Effect.forEach(before, (key) => audited("api-key.deleted", key), { discard: true })
    yield* Effect.forEach(yield* list, (key) => audited("api-key.created", key), { discard: true })
  }))

/** Makes one more key, beside the others. It is stored only if `show` succeeds. */
export const add = Effect.fnUntraced(
  function*(
    environment: Environment,
    state: KeyState,
    show: (key: Redacted.Redacted, name: string) => Effect.Effect<void, KeysUnseen>
  ) {
    const create = yield* ApiKeys.creating
    const digest = yield* KeyText.digesting
    const key = yield* create(environment, state, undefined)
    const name = KeyText.nameOf(KeyText.prefixOf(environment, state), digest(Redacted.value(key)))
    const made = (yield* list).filter((one) => one.name === name)
    yield* Effect.forEach(made, (one) => audited("api-key.created", one), { discard: true })
    yield* show(key, name)
  },
  together
)

/** Ends one key, said by its name or as it is, and answers what it was. Nodes that run remember it for a minute at most. */
export const end = Effect.fnUntraced(function*(said: string) {
  const sql = yield* SqlClient.SqlClient
  const digest = yield* KeyText.digesting
  const keys = yield* rows
  const key = keys.find((one) => one.digest === digest(said) || named(one).name === said)
  if (key === undefined) return yield* new NoSuchKey()
  if (keys.length === 1) return yield* new LastKey()
  yield* sql`delete from api_keys where digest = ${key.digest}`
  yield* audited("api-key.deleted", named(key))
  return named(key)
}, together)
