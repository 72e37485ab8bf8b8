import { type Facts, spans, within } from "./Facts.ts"
import * as Turns from "./Turns.ts"

/** A change of a template counts everywhere after this, in ms. */
const freshness = 2_000

const said = /canary-version-(\d+)/

/** I25: a turn that begins 2 s after a template was published says what that says. */
export const current = (facts: Facts): ReadonlyArray<string> =>
  facts.history.calls.flatMap((call) => {
    const row = facts.rows.get(call.messageId)
    const version = said.exec(call.text)?.[1]
    if (row === undefined || version === undefined) return []
    const { template } = JSON.parse(row.instructions)
    const act = Turns.acts(facts, row).find(({ attempt }) => attempt === call.attempt)
    if (act === undefined) return []
    const versions = spans<string | undefined>(facts.history, row.scope, "0", (change) =>
      change._tag === "Publish" && change.templateId === template
        ? said.exec(JSON.stringify(change.template))?.[1]
        : undefined)
    return within(versions, act.turn - freshness, call.calledAt).includes(version)
      ? []
      : [`I25: call ${call.number} of ${row.id} says version ${version} of ${template}, in a turn from ${act.turn} on`]
  })
