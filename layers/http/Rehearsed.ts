import { node } from "#layers/http/routes/Explanations.ts"
import type { DryRunResponse, Shown as ShownJson } from "#schemas/api/Rehearsals.ts"
import type { Rehearsed } from "#src/delivery/Rehearsals.ts"
import type { Shown } from "#src/delivery/rehearsals/Shown.ts"
import { contentOf } from "#src/reports/Timeline.ts"
import type { HttpServerRequest } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"

export const shown = ({ channel, error, provider, rendered }: Shown): ShownJson => ({
  channel,
  channel_id: channel,
  provider,
  content: rendered === undefined ? undefined : contentOf(rendered),
  error
})

/** What would become of the messages of a call, as the API shows it. */
export const dryRun = (rehearsed: ReadonlyArray<Rehearsed>): DryRunResponse => ({
  dry_run: true,
  results: rehearsed.map(({ dueAt, escalation, outputs, plan, unknown, ...end }) => ({
    ...end,
    due_at: dueAt,
    unknown_tenant: unknown?.tenant,
    unknown_topic: unknown?.topic,
    unknown_brand: unknown?.brand,
    plan: plan === undefined ? undefined : node(plan, escalation),
    outputs: outputs.map(shown)
  }))
})

/**
 * Reads the header; `undefined` if it is neither true nor false, since a caller who asked for a dry run must not send.
 */
export const isDryRun = (header: string | undefined): boolean | undefined => {
  switch (header?.trim().toLowerCase()) {
    case undefined:
    case "false":
    case "0":
      return false
    case "true":
    case "1":
      return true
    default:
      return undefined
  }
}

/** Whether a request is a dry run, which only `POST /send` knows, or may have been meant as one. */
export const isRehearsal = (
  { path }: Pick<HttpApiEndpoint.Top, "path">,
  { headers }: HttpServerRequest.HttpServerRequest
): boolean => path === "/send" && isDryRun(headers["tidings-dry-run"]) !== false
