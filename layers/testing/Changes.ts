import * as OverriddenTopics from "#layers/memory/OverriddenTopics.ts"
import { nameOf } from "#layers/memory/State.ts"
import type { Chance } from "#layers/testing/Chance.ts"
import { scopeOf } from "#layers/testing/Client.ts"
import type { Change, Changed } from "#layers/testing/History.ts"
import { ofProfile } from "#layers/testing/ImpossibleGiven.ts"
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
import { Memberships } from "#src/people/Memberships.ts"
import { Profiles } from "#src/people/Profiles.ts"
import * as TopicPreferences from "#src/people/TopicPreferences.ts"
import { Context, Effect, Exit, HashMap, Layer, Schema } from "effect"

const mostTries = 20

/**
 * Topic preferences go through the service that the API uses, because that refuses some of them. It is built when a
 * story first needs it; building is synchronous.
 */
const preferences = (services: Context.Context<Shared>): TopicPreferences.TopicPreferences["Service"] =>
  Effect.runSync(
    Effect.provide(
      TopicPreferences.TopicPreferences,
      Layer.fresh(TopicPreferences.layer.pipe(Layer.provide(OverriddenTopics.layer)))
    ).pipe(Effect.provideContext(services))
  )

/** What exists in an environment, and so can be changed. */
interface There {
  readonly topic: (id: string) => boolean
  readonly tenant: (id: string) => boolean
  readonly list: (id: string) => boolean
  readonly providers: ReadonlyArray<string>
}

/**
 * What a change refers to, in words, if that does not exist. A user need not exist, nor a list that is subscribed to:
 * the API creates it.
 */
const missing = (change: Change, there: There): string | undefined => {
  switch (change._tag) {
    case "Prefer":
      return there.topic(change.topicId) ? undefined : "a topic that is none of options.given.topics"
    case "Join":
      return there.tenant(change.tenantId) ? undefined : "a tenant that is none of options.given.tenants"
    case "Unsubscribe":
    case "DeleteList":
    case "RestoreList":
      return there.list(change.listId) ? undefined : "a list that neither options.given.lists nor a Subscribe made"
    case "Configure":
    case "Withdraw":
      return there.providers.includes(change.provider) ? undefined : `none of ${there.providers.join(", ")}`
    default:
      return undefined
  }
}

/** The ids that each names. Typed as a record of all, so that a new one cannot be forgotten here. */
const tags: Readonly<Record<Change["_tag"], ReadonlyArray<"listId" | "userId">>> = {
  Prefer: ["userId"],
  PutProfile: ["userId"],
  DeleteProfile: ["userId"],
  Subscribe: ["listId", "userId"],
  Unsubscribe: ["listId", "userId"],
  DeleteList: ["listId"],
  RestoreList: ["listId"],
  Join: ["userId"],
  Leave: ["userId"],
  Configure: [],
  Withdraw: []
}

const isId = { listId: Schema.is(ListId), userId: Schema.is(UserId) }

/** Why a change could never have any effect, in a sentence: that is a mistake in the story. */
const faultOf = (change: Change, there: There): string | undefined => {
  if (!Object.hasOwn(tags, change._tag))
    return `The change ${JSON.stringify(change)} is none of ${Object.keys(tags).join(", ")}`
  const said = `The change ${JSON.stringify(change)} names`
  const wrong = tags[change._tag].find((name) => !isId[name](Reflect.get(change, name)))
  if (wrong !== undefined) return `${said} a ${wrong.slice(0, 4)} by what is no id`
  if (change._tag === "Prefer" && change.status !== "OPTED_IN" && change.status !== "OPTED_OUT")
    return `${said} a status that is neither OPTED_IN nor OPTED_OUT`
  if (change._tag === "PutProfile") {
    const fault = ofProfile(change.userId, change.profile)
    if (fault !== undefined) return `${said} a profile that no user has: ${fault}`
  }
  const what = missing(change, there)
  return what === undefined ? undefined : `${said} ${what}`
}

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
  readonly vendors: ReturnType<typeof makeVendors>
}) => {
  const { chance, loop, remote, services, store, vendors } = options
  const lists = Context.get(services, Lists)
  const memberships = Context.get(services, Memberships)
  const profiles = Context.get(services, Profiles)
  const changes: Array<Changed> = []
  /** Names of the lists that a `Subscribe` may have created. */
  const made = new Set<string>()
  let topics: TopicPreferences.TopicPreferences["Service"] | undefined

  const thereIn = (scope: Scope): There => ({
    topic: (id) => store.look((state) => HashMap.has(state.preferences.topics, nameOf(scope, id))),
    tenant: (id) => store.look((state) => HashMap.has(state.tenants, nameOf(scope, id))),
    list: (id) => made.has(nameOf(scope, id)) || store.look((state) => HashMap.has(state.lists, nameOf(scope, id))),
    providers: vendors.keys
  })

  const applied = (scope: Scope, change: Change): Effect.Effect<unknown, unknown> => {
    switch (change._tag) {
      case "Prefer": {
        const { status, tenantId, topicId, userId } = change
        topics ??= preferences(services)
        return topics.put({ scope, userId: UserId.make(userId), tenantId }, { topicId, setting: { status } })
      }
      case "PutProfile":
        return profiles.replace(scope, UserId.make(change.userId), change.profile)
      case "DeleteProfile":
        return profiles.remove(scope, UserId.make(change.userId))
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
      case "Join":
        return memberships.put(scope, change.userId, [{ tenantId: change.tenantId, profile: undefined }])
      case "Leave":
        return memberships.remove(scope, change.userId, change.tenantId)
      case "Configure":
        return Effect.sync(() => vendors.configure(scope, change.provider))
      case "Withdraw":
        return Effect.sync(() => vendors.withdraw(scope, change.provider))
    }
  }

  /** One try. A refusal, such as for something that was deleted meanwhile, is an answer too, and is not tried again. */
  const once = (scope: Scope, change: Change, done: () => void): Effect.Effect<void, StoreUnavailable> =>
    Effect.match(applied(scope, change), {
      onSuccess: () => {
        done()
        changes.push({ at: loop.now(), scope, change })
        loop.trace(`change ${scope} ${JSON.stringify(change)}`)
      },
      onFailure: () => undefined
    })

  const change = Effect.fnUntraced(function*(what: Change, environment: number = 1) {
    const scope = yield* scopeOf(environment)
    const fault = faultOf(what, thereIn(scope))
    if (fault !== undefined) return yield* Effect.die(fault)
    if (what._tag === "Subscribe") made.add(nameOf(scope, what.listId))
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
