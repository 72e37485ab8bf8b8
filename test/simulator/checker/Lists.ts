import type { Request } from "#layers/testing/History.ts"
import type { Recipient } from "#schemas/Recipient.ts"
import { Array } from "effect"
import { users } from "../People.ts"
import { type Facts, labelOf, within } from "./Facts.ts"
import * as Groups from "./Groups.ts"

const recipientsOf = ({ message: { to } }: Request): ReadonlyArray<typeof Recipient.Encoded> => Array.ensure(to)

/** Whether the request names a group. */
export const isToMany = (request: Request): boolean =>
  recipientsOf(request).some((to) => Groups.named(to) !== undefined)

/** When the request was accepted, and when the last page of its members was written, in ms. */
const walkOf = (facts: Facts, requestId: string) => {
  const commits = facts.commitsOf(requestId).filter(({ result }) => result === "Written")
  const end = commits.find(({ dueAt, kind }) => kind === "page" && dueAt === undefined)
  return { from: commits.find(({ kind }) => kind === "accept")?.at ?? 0, to: end?.at }
}

const ofRequest = (facts: Facts, request: Request, requestId: string): ReadonlyArray<string> => {
  const label = labelOf(request)
  const { from, to } = walkOf(facts, requestId)
  if (to === undefined) return [`I17: ${label} went to many, and never came to its end`]
  const groups = recipientsOf(request).map((to) => {
    const { user_id: user } = to
    const one = { isThere: true, users: new Set(typeof user === "string" ? [user] : []) }
    return Groups.membersOf(facts, request.scope, to) ?? [{ from: -Infinity, to: Infinity, value: one }]
  })
  const seen = (until: number) => groups.flatMap((group) => within(group, from, until))
  const steady = (user: string) =>
    groups.some((group) => within(group, from, to).every(({ isThere, users }) => isThere && users.has(user)))
  const made = facts.history.messages.filter((row) => row.requestId === requestId)
  const names = made.map(({ id, recipient }) => {
    const said: typeof Recipient.Encoded = JSON.parse(recipient)
    const { user_id: user } = said
    return { id, group: Groups.named(said), user, at: facts.commitsOf(id)[0]?.at ?? 0 }
  })
  const count = (user: string) => names.filter((one) => one.user === user).length
  return [
    ...users.filter((user) => steady(user) && count(user) !== 1).map((user) =>
      `I17: ${label} made ${count(user)} messages for ${user}, who was to get one`
    ),
    ...users.filter((user) => count(user) > 1).map((user) => `I17: ${label} made ${count(user)} messages for ${user}`),
    ...names.flatMap(({ at, group, id, user }) => {
      const known = typeof user !== "string"
        // It stands for a group that is not there.
        ? group !== undefined && seen(at).some(({ isThere }) => !isThere)
        : seen(at).some((members) => members.isThere && members.users.has(user))
      return known ? [] : [`I17: ${id} of ${label} is for ${user ?? group}, who was not in the group`]
    })
  ]
}

/** I17: a send to a list, a tenant or an audience is one message to each who is in it all the while, one at most to who is for a part of it, and none to others. */
export const eachOnce = (facts: Facts): ReadonlyArray<string> =>
  facts.history.requests.flatMap((request) =>
    request.requestId === undefined || !isToMany(request) ? [] : ofRequest(facts, request, request.requestId)
  )
