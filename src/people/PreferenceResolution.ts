import type { DecisionRule, DecisionSource, PreferenceDecision, WithheldRule } from "#schemas/PreferenceDecision.ts"
import type { PreferenceChannel, PreferenceStatus } from "#schemas/Preferences.ts"

/**
 * What one source says about a message. `channels`: the only ones it may go through; `undefined` leaves the choice to
 * other sources.
 */
export interface Statement {
  readonly source: DecisionSource
  readonly id: string
  readonly status: PreferenceStatus | undefined
  readonly snoozed: boolean
  readonly channels: ReadonlyArray<PreferenceChannel> | undefined
  /** The choices that the topic does not allow its recipients; they are left out of the fields above. */
  readonly withheld?: ReadonlyArray<WithheldRule["preference"]>
}

/** Sources that are not the recipient's own choice: their status is only a default for a user who never chose one. */
const defaults: ReadonlySet<DecisionSource> = new Set(["list", "tenant_default", "topic_default", "section_default"])

/**
 * Sources whose REQUIRED ignores opt-outs: the workspace's and the tenants' defaults (api.md 10.4, 4), and the send
 * itself. From another one, such as a list, it is an opt-in like any other: a reader who was told that an opt-out holds
 * is not mailed on.
 */
const requiring: ReadonlySet<DecisionSource> = new Set(["message", "tenant_default", "topic_default"])

/** Whether the source is the catalogue: a topic's or a section's own default. */
export const isCatalogue = (source: DecisionSource): boolean =>
  source === "topic_default" || source === "section_default"

/** Whether the rule is the recipient's own choice, which beats a template's conditions. */
export const isOwn = ({ source }: DecisionRule): boolean => !defaults.has(source)

const ruleOf = ({ id, snoozed, source }: Statement): DecisionRule => snoozed ? { source, id, snoozed } : { source, id }

/**
 * The statement that decides and the resulting status: the first statement with a status or a snooze, unless one that
 * may require is REQUIRED.
 */
const decide = (statements: ReadonlyArray<Statement>) => {
  const required = statements.find(({ source, status }) => status === "REQUIRED" && requiring.has(source))
  if (required !== undefined) return { deciding: { ...required, snoozed: false }, status: "REQUIRED" as const }
  const deciding = statements.find(({ snoozed, status }) => snoozed || status !== undefined)
  const isOut = deciding !== undefined && (deciding.snoozed || deciding.status === "OPTED_OUT")
  return { deciding, status: isOut ? "OPTED_OUT" as const : "OPTED_IN" as const }
}

/** The status that `resolve` decides. */
export const statusOf = (statements: ReadonlyArray<Statement>): PreferenceStatus => decide(statements).status

/**
 * Decides what preferences do to a message (api.md 10.4). Pure and total. `statements` are ordered strongest first. The
 * first with a status decides it, except that REQUIRED from a default or from the send always wins. The first that chooses channels
 * decides those, unless that would leave a required message without any. `channels` are those of the message's routing,
 * in its order: none is ever added, and if all of them are removed, the message is dropped.
 */
export const resolve = (
  statements: ReadonlyArray<Statement>,
  channels: ReadonlyArray<string>,
  topic?: string
): PreferenceDecision => {
  const { deciding, status } = decide(statements)
  const withheld = statements.flatMap(({ id, source, withheld = [] }) =>
    withheld.map((preference) => ({ source, id, preference }))
  )
  const common = {
    ...(withheld.length === 0 ? {} : { withheld }),
    ...(topic === undefined ? {} : { topic_id: topic }),
    status,
    ...(deciding === undefined ? {} : { rule: ruleOf(deciding) })
  }
  if (status === "OPTED_OUT" && deciding !== undefined) {
    return { outcome: "DROPPED", ...common, reason: defaults.has(deciding.source) ? "OPT_IN_REQUIRED" : "UNSUBSCRIBED" }
  }
  const choosing = statements.find((statement) => statement.channels !== undefined)
  if (choosing?.channels === undefined) return { outcome: "KEPT", ...common }
  const chosen: ReadonlyArray<string> = choosing.channels
  const kept = channels.filter((channel) => chosen.includes(channel))
  if (kept.length === 0 && channels.length > 0) {
    if (status === "REQUIRED") return { outcome: "KEPT", ...common }
    return {
      outcome: "DROPPED",
      ...common,
      reason: isCatalogue(choosing.source) ? "NO_CHANNELS" : "UNSUBSCRIBED",
      channels: { kept, dropped: channels, rule: ruleOf(choosing) }
    }
  }
  const dropped = channels.filter((channel) => !chosen.includes(channel))
  return { outcome: "KEPT", ...common, channels: { kept, dropped, rule: ruleOf(choosing) } }
}
