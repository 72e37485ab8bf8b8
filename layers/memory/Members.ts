import { isJudged } from "#layers/memory/AudienceSteps.ts"
import { Database } from "#layers/memory/Database.ts"
import { inScope, nameOf, type State } from "#layers/memory/State.ts"
import type { Scope } from "#schemas/Scope.ts"
import * as Text from "#schemas/Text.ts"
import * as ListPattern from "#src/people/ListPattern.ts"
import { type Member, Members, MembersUncounted, type Position, type Source } from "#src/people/Members.ts"
import { Effect, HashMap, Layer, Option } from "effect"

const compare = (a: Position, b: Position): number => Text.compare(a.group, b.group) || Text.compare(a.userId, b.userId)

const subscribers = (state: State, scope: Scope, listId: string, group: string): ReadonlyArray<Member> =>
  Option.match(HashMap.get(state.subscriptions, nameOf(scope, listId)), {
    onNone: () => [],
    onSome: (rows) => Array.from(HashMap.values(rows), ({ userId }) => ({ group, userId, listId }))
  })

const usersOf = (state: State, scope: Scope, tenantId: string, group: string): ReadonlyArray<Member> =>
  inScope(state.tenantUsers, scope).flatMap((row) =>
    row.tenantId === tenantId ? [{ group, userId: row.userId, tenantId }] : []
  )

/** A tenant and all below it; a ring of parents ends where it began. */
const family = (state: State, scope: Scope, id: string): ReadonlySet<string> => {
  const tenants = inScope(state.tenants, scope)
  const found = new Set(tenants.some((tenant) => tenant.id === id) ? [id] : [])
  for (const parent of found) for (const row of tenants) if (row.parentId === parent) found.add(row.id)
  return found
}

const all = (state: State, scope: Scope, source: Source): ReadonlyArray<Member> => {
  const live = inScope(state.lists, scope).filter((list) => list.deletedAt === undefined)
  switch (source._tag) {
    case "List":
      return live.some((list) => list.id === source.id) ? subscribers(state, scope, source.id, "") : []
    case "Pattern":
      return live.filter(({ id }) => ListPattern.matches(source.pattern, id)).flatMap(({ id }) =>
        subscribers(state, scope, id, id)
      )
    case "Audience":
      return HashMap.has(state.audiences.rows, nameOf(scope, source.id))
        ? state.audiences.members.flatMap((row) =>
          row.scope === scope && row.audienceId === source.id ? [{ group: "", userId: row.userId }] : []
        )
        : []
    case "Tenant": {
      const tenants = family(state, scope, source.id)
      return (source.includeChildren ? [...tenants] : [...tenants].filter((id) => id === source.id)).flatMap((id) =>
        usersOf(state, scope, id, id === source.id ? "" : id)
      )
    }
  }
}

/**
 * The audience was written, or another one was, and `AudienceSteps` has not judged all of them anew; with `latest`, also
 * if it has not judged all users anew.
 */
const isUncounted = (state: State, scope: Scope, id: string, latest: boolean): boolean => {
  const { judged, rows } = state.audiences
  return HashMap.has(rows, nameOf(scope, id)) && (latest ? !isJudged(state) : judged?.rows !== rows)
}

const exists = (state: State, scope: Scope, source: Source): boolean => {
  switch (source._tag) {
    case "List":
      return inScope(state.lists, scope).some((list) => list.id === source.id && list.deletedAt === undefined)
    case "Pattern":
      return true
    case "Audience":
      return HashMap.has(state.audiences.rows, nameOf(scope, source.id))
    case "Tenant":
      return inScope(state.tenants, scope).some((tenant) => tenant.id === source.id)
  }
}

/** The members of groups in memory. */
export const layer = Layer.effect(
  Members,
  Effect.gen(function*() {
    const { read } = yield* Database
    return Members.of({
      page: (scope, source, { after, latest = false, limit, memberOf }) =>
        Effect.flatMap(
          read((state) => {
            if (source._tag === "Audience" && isUncounted(state, scope, source.id, latest)) {
              return Effect.fail(new MembersUncounted())
            }
            const belongs = memberOf.map((tenantId) =>
              new Set(usersOf(state, scope, tenantId, "").map(({ userId }) => userId))
            )
            return Effect.succeed(
              all(state, scope, source)
                .filter((member) => after === undefined || compare(member, after) > 0)
                .filter(({ userId }) => belongs.every((users) => users.has(userId)))
                .toSorted(compare)
                .slice(0, limit)
            )
          }),
          (members) => members
        ),
      exists: (scope, source) => read((state) => exists(state, scope, source))
    })
  })
)
