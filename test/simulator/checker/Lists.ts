import type { Request } from "#layers/testing/History.ts"
import type { Recipient } from "#schemas/Recipient.ts"
import { Array } from "effect"
import { lists, users } from "../People.ts"
import { type Facts, labelOf, spans, within } from "./Facts.ts"

const recipientsOf = ({ message: { to } }: Request): ReadonlyArray<typeof Recipient.Encoded> => Array.ensure(to)

/** Whether the request names a list. */
export const isToMany = (request: Request): boolean =>
  recipientsOf(request).some(({ list_id: list }) => typeof list === "string")

/** Whether the list is there, and who is on it. */
const membersOf = ({ history }: Facts, scope: number, listId: string) =>
  spans(history, scope, { isThere: true, users: new Set(lists[listId]) }, (change, { isThere, users }) => {
    if (!("listId" in change) || change.listId !== listId) return undefined
    switch (change._tag) {
      case "DeleteList":
        return { isThere: false, users }
      case "RestoreList":
        return { isThere: true, users }
      case "Subscribe":
        return { isThere: true, users: new Set([...users, change.userId]) }
      case "Unsubscribe":
        return { isThere, users: new Set([...users].filter((user) => user !== change.userId)) }
    }
  })

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
  const groups = recipientsOf(request)
  const seen = (until: number) =>
    groups.flatMap(({ list_id: list, user_id: user }) =>
      typeof list === "string"
        ? within(membersOf(facts, request.scope, list), from, until)
        : [{ isThere: true, users: new Set(typeof user === "string" ? [user] : []) }]
    )
  const steady = (user: string) =>
    groups.some(({ list_id: list, user_id: one }) =>
      one === user ||
      (typeof list === "string" &&
        within(membersOf(facts, request.scope, list), from, to).every((members) =>
          members.isThere && members.users.has(user)
        ))
    )
  const made = facts.history.messages.filter((row) => row.requestId === requestId)
  const names = made.map(({ id, recipient }) => {
    const { list_id: list, user_id: user }: { list_id?: string; user_id?: string } = JSON.parse(recipient)
    return { id, list, user, at: facts.commitsOf(id)[0]?.at ?? 0 }
  })
  const count = (user: string) => names.filter((one) => one.user === user).length
  return [
    ...users.filter((user) => steady(user) && count(user) !== 1).map((user) =>
      `I17: ${label} made ${count(user)} messages for ${user}, who was to get one`
    ),
    ...users.filter((user) => count(user) > 1).map((user) => `I17: ${label} made ${count(user)} messages for ${user}`),
    ...names.flatMap(({ at, id, list, user }) => {
      const known = user === undefined
        // It stands for a list that is not there.
        ? list !== undefined && seen(at).some(({ isThere }) => !isThere)
        : seen(at).some((members) => members.isThere && members.users.has(user))
      return known ? [] : [`I17: ${id} of ${label} is for ${user ?? list}, who was not on the list`]
    })
  ]
}

/** I17: a send to a list is one message to each who is on it all the while, one at most to who is for a part of it, and none to others. */
export const eachOnce = (facts: Facts): ReadonlyArray<string> =>
  facts.history.requests.flatMap((request) =>
    request.requestId === undefined || !isToMany(request) ? [] : ofRequest(facts, request, request.requestId)
  )
