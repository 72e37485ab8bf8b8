import { listed } from "#layers/providers/Catalogue.ts"
import * as MsTeams from "#layers/providers/MsTeams.ts"
import * as Slack from "#layers/providers/Slack.ts"
import type { Row } from "#test/contracts/VendorRow.ts"
import { json } from "#test/layers/providers/rows/Json.ts"

/** An incoming webhook, which needs nothing of the configuration. */
export const slack: Row = {
  entry: listed(Slack.definition),
  settings: {},
  profile: { slack: { incoming_webhook: { url: "https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXX" } } },
  success: { status: 200, headers: { "content-type": "text/html" }, body: "ok" },
  reference: undefined,
  request: {
    method: "POST",
    path: "/services/T00000000/B00000000/XXXXXXXX",
    headers: { "content-type": "application/json; charset=utf-8" },
    body: { text: "*Your order*\nIt is on its way.", parse: "none", link_names: false }
  },
  refusals: [
    {
      name: "404 no_service",
      answer: { status: 404, body: "no_service" },
      kind: "RecipientRejected",
      invalidates: true
    },
    {
      name: "403 invalid_token",
      answer: { status: 403, body: "invalid_token" },
      kind: "RecipientRejected",
      invalidates: true
    },
    {
      name: "410 channel_is_archived",
      answer: { status: 410, body: "channel_is_archived" },
      kind: "RecipientRejected"
    },
    { name: "403 action_prohibited", answer: { status: 403, body: "action_prohibited" }, kind: "RecipientRejected" },
    {
      name: "404 used_url of a command",
      answer: json(404, { ok: false, error: "used_url" }),
      kind: "RecipientRejected",
      invalidates: true
    },
    { name: "400 invalid_payload", answer: { status: 400, body: "invalid_payload" }, kind: "ContentRejected" },
    { name: "400 invalid_blocks", answer: { status: 400, body: "invalid_blocks" }, kind: "ContentRejected" },
    { name: "500 rollup_error", answer: { status: 500, body: "rollup_error" }, kind: "Unavailable" }
  ]
}

const workflow =
  "/powerautomate/automations/direct/workflows/5b1f/triggers/manual/paths/invoke?api-version=1&sp=%2Ftriggers%2Fmanual%2Frun&sig=XXXX"

const teamsFault = (status: number, code: string, message: string) => json(status, { error: { code, message } })

const isUrl = "its URL is all that lets us in"
const isAuthors = "a workflow answers what its author has it answer"

/** A workflow, which needs no bot. */
export const msTeams: Row = {
  entry: listed(MsTeams.definition),
  settings: {},
  profile: { ms_teams: { webhook_url: `https://default5b1f.72.environment.api.powerplatform.com:443${workflow}` } },
  success: { status: 202 },
  reference: undefined,
  request: {
    method: "POST",
    path: workflow,
    headers: { "content-type": "application/json" },
    body: {
      type: "message",
      attachments: [{
        contentType: "application/vnd.microsoft.card.adaptive",
        content: {
          type: "AdaptiveCard",
          $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
          version: "1.4",
          body: [
            {
              type: "RichTextBlock",
              inlines: [{ type: "TextRun", text: "Your order", size: "Large", weight: "Bolder" }]
            },
            { type: "RichTextBlock", inlines: [{ type: "TextRun", text: "It is on its way." }] }
          ]
        }
      }]
    }
  },
  refusals: [
    {
      name: "404 WorkflowNotFound",
      answer: teamsFault(404, "WorkflowNotFound", "The workflow '5b1f' could not be found."),
      kind: "RecipientRejected",
      invalidates: true
    },
    {
      name: "400 WorkflowTriggerIsNotEnabled",
      answer: teamsFault(400, "WorkflowTriggerIsNotEnabled", "Could not execute workflow '5b1f' trigger 'manual'."),
      kind: "RecipientRejected",
      invalidates: true
    },
    {
      name: "401 DirectApiAuthorizationRequired",
      answer: teamsFault(401, "DirectApiAuthorizationRequired", "The request must be authenticated."),
      kind: "RecipientRejected"
    },
    {
      name: "400 TriggerInputSchemaMismatch",
      answer: teamsFault(400, "TriggerInputSchemaMismatch", "The input body does not match its schema type 'Object'."),
      kind: "ContentRejected"
    },
    { name: "413 too large", answer: { status: 413 }, kind: "ContentRejected" }
  ],
  differs: {
    "garbage 2xx": { outcome: "Accepted", why: isAuthors },
    "empty 2xx": { outcome: "Accepted", why: isAuthors },
    "truncated JSON": { outcome: "Accepted", why: isAuthors },
    "401": { outcome: "RecipientRejected", why: isUrl },
    "403": { outcome: "RecipientRejected", why: isUrl },
    "404": { outcome: "RecipientRejected", why: isUrl }
  }
}
