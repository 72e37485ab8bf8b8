import { refusal } from "#layers/memory/journal/Columns.ts"
import * as Record from "#layers/memory/journal/Record.ts"
import { row, withProfiles } from "#layers/memory/journal/Rows.ts"
import { type ExpansionRow, findMessage, nameOf, putMessage, type State } from "#layers/memory/State.ts"
import * as Told from "#layers/memory/webhooks/Told.ts"
import type { MessageId } from "#schemas/MessageId.ts"
import type { Status } from "#schemas/Status.ts"
import { encodePlace, type NewExpansion, start } from "#src/delivery/Expansion.ts"
import type { Advance, Advanced, Page } from "#src/delivery/expansion/Expansions.ts"
import type { RowRefused } from "#src/delivery/Journal.ts"
import { HashMap, Option } from "effect"

const put = (state: State, expansion: ExpansionRow): State => ({
  ...state,
  expansions: HashMap.set(state.expansions, nameOf(expansion.scope, expansion.id), expansion)
})

/** Stores a request to many, unless it is there already. */
export const putExpansion = (state: State, expansion: NewExpansion, at: number): State => {
  if (HashMap.has(state.expansions, nameOf(expansion.scope, expansion.id))) return state
  return put(state, {
    ...expansion,
    recipients: JSON.stringify(expansion.recipients),
    instructions: JSON.stringify(expansion.instructions),
    place: encodePlace(start),
    tries: 0,
    epoch: 0,
    state: "RUNNING",
    messages: 0,
    acceptedAt: at,
    advancedAt: at,
    endedAt: undefined,
    dueAt: 0,
    error: undefined,
    archived: false
  })
}

/** Why the database would refuse a row of this page. */
export const refused = ({ intents = [], page }: Advance): RowRefused | undefined =>
  page === undefined ? undefined : intents.map(Record.refused).find((one) => one !== undefined) ?? refusal([
    page.common.event,
    page.common.template,
    page.common.traceId,
    ...page.common.tags,
    ...page.members.flatMap((member) => [member.recipientKey, member.recipientName, member.tenantId, member.listId]),
    ...page.profiles.map((profile) => profile.userId)
  ])

type Stepping = ReadonlyMap<MessageId, Status | undefined>

/**
 * Stores a page, with the status of each message whose intent was stored; `undefined`: the message was there before. An
 * intent is not stored either if its shard has another epoch by now.
 */
const withPage = (
  state: State,
  { common, members, profiles }: Page,
  intents: Advance["intents"],
  at: number
): readonly [State, created: number, statuses: Stepping] => {
  const byMessage = new Map(intents?.map((step) => [step.message.id, step] as const))
  const statuses = new Map<MessageId, Status | undefined>()
  let next = state
  for (const member of members) {
    const step = byMessage.get(member.id)
    if (findMessage(next, common.scope, member.id) !== undefined) {
      if (findMessage(state, common.scope, member.id) !== undefined) statuses.set(member.id, undefined)
      continue
    }
    const seq = next.seq + 1
    next = putMessage({ ...next, seq }, row({ ...common, ...member }, seq, common.enqueuedAt))
    const [recorded, begun] = step === undefined ? [undefined, next] : Record.record(next, step)
    if (recorded?._tag === "Written") {
      statuses.set(member.id, recorded.status)
      next = begun
    } else next = Told.message(next, undefined, { ...common, ...member }, common.enqueuedAt, at)
  }
  return [withProfiles(next, profiles, common.enqueuedAt), next.seq - state.seq, statuses]
}

/** What a step of an expansion did; the store adds the time of the commit. */
type Stepped = Exclude<Advanced, { readonly _tag: "Written" }> | {
  readonly _tag: "Written"
  readonly created: number
  readonly statuses: Stepping
}

/** One step of an expansion: fenced, passed by another step, or written whole. */
export const advance = (state: State, step: Advance): readonly [Stepped, State] => {
  const { at, dueAt, epoch, error, expansion, intents, owner, page, state: becomes, to, tries } = step
  if (Option.getOrUndefined(HashMap.get(state.epochs, expansion.shard)) !== owner) return [{ _tag: "Fenced" }, state]
  const stored = Option.getOrUndefined(HashMap.get(state.expansions, nameOf(expansion.scope, expansion.id)))
  if (stored === undefined || stored.dueAt === undefined || stored.place !== step.from) {
    return [{ _tag: "Passed" }, state]
  }
  const [paged, created, statuses] = page === undefined ? [state, 0, new Map()] : withPage(state, page, intents, at)
  const next = put(paged, {
    ...stored,
    place: to,
    messages: stored.messages + created,
    tries,
    epoch,
    state: becomes,
    dueAt: dueAt ?? undefined,
    error: error === undefined ? stored.error : error ?? undefined,
    advancedAt: at,
    endedAt: dueAt === null ? at : undefined
  })
  return [{ _tag: "Written", created, statuses }, next]
}
