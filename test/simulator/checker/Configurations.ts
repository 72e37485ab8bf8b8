import { type Facts, type Row, type Span, spans, within } from "./Facts.ts"
import * as Turns from "./Turns.ts"

/** A change of a configuration counts everywhere after this, in ms. */
const freshness = 2_000

interface Settings {
  readonly version: number
  readonly isThere: boolean
}

const settingsOf = ({ history }: Facts, scope: number, provider: string): ReadonlyArray<Span<Settings>> =>
  spans<Settings>(history, scope, { version: 1, isThere: true }, (change, { version }) => {
    if (!("provider" in change) || change.provider !== provider) return undefined
    return change._tag === "Configure" ? { version: version + 1, isThere: true } : { version, isThere: false }
  })

/** The providers that were withdrawn at some moment of its life. */
export const gone = (facts: Facts, row: Row): ReadonlySet<string> => {
  const withdrawn = facts.history.changes.flatMap(({ change }) => change._tag === "Withdraw" ? [change.provider] : [])
  const [from, to] = Turns.life(facts, row)
  return new Set(
    withdrawn.filter((provider) =>
      within(settingsOf(facts, row.scope, provider), from - freshness, to).some(({ isThere }) => !isThere)
    )
  )
}

/** I18: a turn that begins 2 s after a provider was changed or withdrawn calls it with its new settings, or not at all. */
export const current = (facts: Facts): ReadonlyArray<string> => {
  const changed = new Set(facts.history.changes.flatMap(({ change }) => "provider" in change ? [change.provider] : []))
  return facts.history.calls.filter(({ provider }) => changed.has(provider)).flatMap((call) => {
    const row = facts.rows.get(call.messageId)
    const act = row && Turns.acts(facts, row).find(({ attempt }) => attempt === call.attempt)
    if (act === undefined) return []
    const settings = within(settingsOf(facts, call.scope, call.provider), act.turn - freshness, call.calledAt)
    return settings.some(({ isThere, version }) => isThere && version === call.version)
      ? []
      : [
        `I18: call ${call.number} of ${call.messageId} used settings of ${call.provider} that were gone before ${act.turn}`
      ]
  })
}
