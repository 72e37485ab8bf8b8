import { nameOf } from "#layers/memory/State.ts"
import * as Applied from "#layers/testing/Applied.ts"
import type { Audienced } from "#layers/testing/Audienced.ts"
import { scopeOf } from "#layers/testing/Caller.ts"
import type { Chance } from "#layers/testing/Chance.ts"
import type { Change, Changed } from "#layers/testing/History.ts"
import * as ImpossibleChange from "#layers/testing/ImpossibleChange.ts"
import type { Loop } from "#layers/testing/Loop.ts"
import type { Remote } from "#layers/testing/Remote.ts"
import type { Shared } from "#layers/testing/Shared.ts"
import type { Environment } from "#layers/testing/Stored.ts"
import type { Store } from "#layers/testing/Store.ts"
import type { make as makeVendors } from "#layers/testing/Vendors.ts"
import type { Scope } from "#schemas/Scope.ts"
import type { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import { type Context, Effect, Exit, HashMap, Option } from "effect"

const mostTries = 20

/**
 * Changes that users and operators make while messages are under way. A change is repeated until a node has answered;
 * what took effect is recorded in the store.
 */
export const make = (options: {
  readonly loop: Loop
  readonly chance: Chance
  readonly remote: Remote
  readonly store: Store
  readonly services: Context.Context<Shared>
  readonly audienced: () => Audienced
  readonly vendors: ReturnType<typeof makeVendors>
}) => {
  const { chance, loop, remote, store, vendors } = options
  const applied = Applied.make(options)
  const changes: Array<Changed> = []
  /** Names of what a change may have created by now, as its try goes on, or may have deleted. */
  const made = new Set<string>()
  const madeOf = (kind: string, scope: Scope, id: string): string => `${kind} ${nameOf(scope, id)}`

  const thereIn = (scope: Scope): ImpossibleChange.There => {
    const isIn = (all: HashMap.HashMap<string, unknown>, id: string): boolean => HashMap.has(all, nameOf(scope, id))
    const isMade = (kind: string, id: string): boolean => made.has(madeOf(kind, scope, id))
    return {
      topic: (id) => store.look(({ preferences }) => isIn(preferences.topics, id)),
      tenant: (id) => isMade("tenant", id) || store.look(({ tenants }) => isIn(tenants, id)),
      list: (id) => isMade("list", id) || store.look(({ lists }) => isIn(lists, id)),
      template: (id) => store.look(({ templates }) => isIn(templates, id)),
      providers: vendors.keys
    }
  }

  /** Nodes hear at once of a request that goes on. */
  const announced = (scope: Scope, change: Change) => {
    if (change._tag !== "Resume") return
    const row = store.look((state) => HashMap.get(state.expansions, nameOf(scope, change.requestId)))
    if (Option.isSome(row)) store.announce([row.value.shard])
  }

  /** One try. A refusal, such as for something that was deleted meanwhile, is an answer too, and is not tried again. */
  const once = (scope: Scope, change: Change, done: () => void): Effect.Effect<void, StoreUnavailable> =>
    Effect.match(applied(scope, change), {
      onSuccess: () => {
        done()
        announced(scope, change)
        changes.push({ at: loop.now(), scope, change })
        loop.trace(`change ${scope} ${JSON.stringify(change)}`)
      },
      onFailure: () => undefined
    })

  const change = Effect.fnUntraced(function*(what: Change, environment: Environment = 1) {
    const scope = yield* scopeOf(environment)
    const there = thereIn(scope)
    const fault = ImpossibleChange.of(what, there)
    if (fault !== undefined) return yield* Effect.die(fault)
    if (what._tag === "Subscribe") made.add(madeOf("list", scope, what.listId))
    const isOfTenant = what._tag === "PutTenant" || (what._tag === "DeleteTenant" && there.tenant(what.tenantId))
    if (isOfTenant) made.add(madeOf("tenant", scope, what.tenantId))
    let isDone = false
    const asked = once(scope, what, () => {
      isDone = true
    })
    for (let n = 0; n < mostTries; n++) {
      const answer = yield* remote((node) => store.ask(node.process, asked))
      if (answer._tag === "Answer" && Exit.isSuccess(answer.exit)) break
      yield* Effect.sleep(chance.int(50, 3_000))
    }
    return isDone
  })

  return { change, changes }
}
