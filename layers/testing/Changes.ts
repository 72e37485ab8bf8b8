import type { Chance } from "#layers/testing/Chance.ts"
import { scopeOf } from "#layers/testing/Client.ts"
import type { Change, Changed } from "#layers/testing/History.ts"
import type { Loop } from "#layers/testing/Loop.ts"
import type { Remote } from "#layers/testing/Remote.ts"
import type { Shared } from "#layers/testing/Shared.ts"
import type { Store } from "#layers/testing/Store.ts"
import type { make as makeVendors } from "#layers/testing/Vendors.ts"
import { ListId } from "#schemas/List.ts"
import { UserId } from "#schemas/Profile.ts"
import type { Scope } from "#schemas/Scope.ts"
import type { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import { Lists } from "#src/people/Lists.ts"
import { UserPreferences } from "#src/people/UserPreferences.ts"
import { Context, Effect, Exit, Schema } from "effect"

const mostTries = 20

/** What of a change no node would ever be asked, in a sentence. */
const faultOf = (change: Change, providers: ReadonlyArray<string>): string | undefined => {
  const said = `The change ${JSON.stringify(change)} names`
  if ("userId" in change && !Schema.is(UserId)(change.userId)) return `${said} a user by what is no id`
  if ("listId" in change && !Schema.is(ListId)(change.listId)) return `${said} a list by what is no id`
  if ("provider" in change && !providers.includes(change.provider)) return `${said} none of ${providers.join(", ")}`
  return undefined
}

/** What users and operators change under way, again and again until a node has answered; the store writes down what it did. */
export const make = (options: {
  readonly loop: Loop
  readonly chance: Chance
  readonly remote: Remote
  readonly store: Store
  readonly services: Context.Context<Shared>
  readonly vendors: ReturnType<typeof makeVendors>
}) => {
  const { chance, loop, remote, services, store, vendors } = options
  const lists = Context.get(services, Lists)
  const preferences = Context.get(services, UserPreferences)
  const changes: Array<Changed> = []

  const applied = (scope: Scope, change: Change): Effect.Effect<unknown, unknown> => {
    switch (change._tag) {
      case "Prefer": {
        const { status, topicId, userId } = change
        return preferences.put(scope, UserId.make(userId), undefined, [{ topicId, setting: { status } }])
      }
      case "Subscribe":
        return lists.subscribe(scope, ListId.make(change.listId), [
          { userId: UserId.make(change.userId), preferences: undefined }
        ])
      case "Unsubscribe":
        return lists.removeSubscription(scope, change.listId, UserId.make(change.userId))
      case "DeleteList":
        return lists.remove(scope, change.listId)
      case "RestoreList":
        return lists.restore(scope, change.listId)
      case "Configure":
        return Effect.sync(() => vendors.configure(scope, change.provider))
      case "Withdraw":
        return Effect.sync(() => vendors.withdraw(scope, change.provider))
    }
  }

  /** What is not there cannot be changed, and that is an answer too. */
  const once = (scope: Scope, change: Change): Effect.Effect<void, StoreUnavailable> =>
    Effect.match(applied(scope, change), {
      onSuccess: () => {
        changes.push({ at: loop.now(), scope, change })
        loop.trace(`change ${scope} ${JSON.stringify(change)}`)
      },
      onFailure: () => undefined
    })

  const change = Effect.fnUntraced(function*(what: Change, environment: number = 1) {
    const fault = faultOf(what, vendors.keys)
    if (fault !== undefined) return yield* Effect.die(fault)
    const asked = once(yield* scopeOf(environment), what)
    for (let n = 0; n < mostTries; n++) {
      const answer = yield* remote((node) => store.ask(node.process, asked))
      if (answer._tag === "Answer" && Exit.isSuccess(answer.exit)) return
      yield* Effect.sleep(chance.int(50, 3_000))
    }
  })

  return { change, changes }
}
