import type { BulkJob, Call, Commit, History, Incident, Request } from "#layers/testing/History.ts"

export type Row = History["messages"][number]

/** Something that held of a thing of an environment for a while, in ms; `to` is `Infinity` if it still does. */
export interface Span<A> {
  readonly from: number
  readonly to: number
  readonly value: A
}

/** A history with what checks look up in it. Nothing of the engine is used here: the oracle shares no code with what it judges. */
export interface Facts {
  readonly history: History
  readonly rows: ReadonlyMap<string, Row>
  readonly commitsOf: (messageId: string) => ReadonlyArray<Commit>
  readonly callsOf: (messageId: string) => ReadonlyArray<Call>
  /** The calls of POST /send that said this, by the label that their messages carry. */
  readonly requestsOf: (label: string | undefined) => ReadonlyArray<Request>
  /** The bulk jobs that said this, by the same label. */
  readonly jobsOf: (label: string | undefined) => ReadonlyArray<BulkJob>
  /** The ids of the messages that resends became, as their callers were told. */
  readonly resent: ReadonlySet<string>
  /** What went wrong for this node, or for everybody, within these ms. */
  readonly incidentsOf: (node: string | undefined, from: number, to: number) => ReadonlyArray<Incident>
}

const lookUp = <A>(groups: ReadonlyMap<string, ReadonlyArray<A>>) => (name: string | undefined): ReadonlyArray<A> =>
  groups.get(name ?? "") ?? []

export const labelOf = ({ message }: BulkJob | Request): string => message.metadata?.trace_id ?? ""

/** Whose message it is, as its caller said: messages of a person are one after the other. */
export const personOf = ({ recipient, scope }: Row): string => {
  const { email, phone_number: phone, user_id: user }: Readonly<Record<string, unknown>> = JSON.parse(recipient)
  return `${scope} ${[user, email, phone].find((name) => typeof name === "string") ?? recipient}`
}

export const make = (history: History): Facts => ({
  history,
  rows: new Map(history.messages.map((row) => [row.id, row])),
  commitsOf: lookUp(Map.groupBy(history.commits, ({ messageId }) => messageId)),
  callsOf: lookUp(Map.groupBy(history.calls, ({ messageId }) => messageId)),
  resent: new Set(history.resends.flatMap(({ resentId }) => resentId ?? [])),
  requestsOf: lookUp(Map.groupBy(history.requests, labelOf)),
  jobsOf: lookUp(Map.groupBy(history.bulkJobs, labelOf)),
  incidentsOf: (node, from, to) =>
    history.incidents.filter((incident) =>
      (incident.node === undefined || node === undefined || incident.node === node) &&
      incident.at <= to && incident.until >= from
    )
})

/** What a node may do late after it lost a shard: a look at its lock, a drain. In ms. */
const aftermath = 20_000

/** The nodes that wrote of a message under a later epoch than that of a call's intent. */
const successors = (facts: Facts, call: Call): ReadonlyArray<string> => {
  const commits = facts.commitsOf(call.messageId)
  const own = commits.find(({ attempt, node }) => attempt?.number === call.attempt && node === call.node)?.epoch ?? 0
  return commits.flatMap(({ epoch = 0, node, result }) => epoch > own && result === "Written" ? [node] : [])
}

/**
 * Whether the node of a call may have lost the shard, or its life, between the call's intent and the settle of its outcome. A node that was to own
 * the shard may take it, and fence who has it by then, until it looks at its lock.
 */
export const wasDisturbed = (facts: Facts, call: Call): boolean =>
  [call.node, ...successors(facts, call)].some((node) =>
    facts.incidentsOf(node, call.calledAt - aftermath, (call.heardAt ?? Infinity) + aftermath)
      .some((incident) => incident.node !== undefined && incident.kind !== "lostAnswer")
  )

/** What of changes each thing was, one span after the other; `value` answers what a change makes of it, `undefined`: nothing. */
export const spans = <A>(
  { changes }: History,
  scope: number,
  first: A,
  value: (change: History["changes"][number]["change"], now: A) => A | undefined
): ReadonlyArray<Span<A>> => {
  const found: Array<Span<A>> = []
  let [from, now] = [-Infinity, first]
  for (const { at, change, scope: of } of changes) {
    const next = of === scope ? value(change, now) : undefined
    if (next === undefined) continue
    found.push({ from, to: at, value: now })
    from = at
    now = next
  }
  return [...found, { from, to: Infinity, value: now }]
}

/** What held at some moment from `from` to `to`, both included. */
export const within = <A>(all: ReadonlyArray<Span<A>>, from: number, to: number): ReadonlyArray<A> =>
  all.filter((span) => span.from <= to && span.to >= from).map(({ value }) => value)
