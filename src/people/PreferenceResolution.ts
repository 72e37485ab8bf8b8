import type { DecisionRule, DecisionSource, PreferenceDecision, WithheldRule } from "#schemas/PreferenceDecision.ts"
import type { PreferenceChannel, PreferenceStatus } from "#schemas/Preferences.ts"

/** What one source says of a message. `channels`: the only ones it may go through; `undefined` leaves that to others. */
export interface Statement {
  readonly source: DecisionSource
  readonly id: string
  readonly status: PreferenceStatus | undefined
  readonly snoozed: boolean
  readonly channels: ReadonlyArray<PreferenceChannel> | undefined
  /** What of it the topic does not let its recipients say; it is left out above. */
  readonly withheld?: ReadonlyArray<WithheldRule["preference"]>
}

/** Who did not say it themselves: their word is a default for one who never opted in. */
const defaults: ReadonlySet<DecisionSource> = new Set(["list", "tenant_default", "topic_default", "section_default"])

/** Whether it is the workspace that says it of a topic of its own. */
export const isCatalogue = (source: DecisionSource): boolean =>
  source === "topic_default" || source === "section_default"

/** Whether the word is the recipient's own, so that it beats conditions of a template. */
export const isOwn = ({ source }: DecisionRule): boolean => !defaults.has(source)

const ruleOf = ({ id, snoozed, source }: Statement): DecisionRule => snoozed ? { source, id, snoozed } : { source, id }

/** The word that decides, and the status it decides on: the first that knows one, unless any of them is REQUIRED. */
const decide = (statements: ReadonlyArray<Statement>) => {
  const required = statements.find(({ status }) => status === "REQUIRED")
  if (required !== undefined) return { deciding: { ...required, snoozed: false }, status: "REQUIRED" as const }
  const deciding = statements.find(({ snoozed, status }) => snoozed || status !== undefined)
  return {
    deciding,
    status: deciding?.snoozed === true ? "OPTED_OUT" as const : deciding?.status ?? "OPTED_IN" as const
  }
}

/** The status alone of what `resolve` decides. */
export const statusOf = (statements: ReadonlyArray<Statement>): PreferenceStatus => decide(statements).status

/**
 * What the preferences make of a message (api.md 10.4): pure and total. `statements` come the strongest first; the first
 * that knows a status decides it, unless any of them is REQUIRED, which always wins; the first that chooses channels
 * chooses them, as far as a required message keeps one. `channels` are those of the message's routing, in its order: none
 * is ever added, and if none of several is left the message is dropped.
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
  const chosen: ReadonlyArray<string> | undefined = choosing?.channels
  if (choosing === undefined || chosen === undefined) return { outcome: "KEPT", ...common }
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
