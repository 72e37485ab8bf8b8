import { CommittedByJournal } from "#schemas/api/CommittedByJournal.ts"
import { DryRunResponse } from "#schemas/api/Rehearsals.ts"
import { MessageId } from "#schemas/MessageId.ts"
import { SendMessage } from "#schemas/SendMessage.ts"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"

export const SendRequest = Schema.Struct({ message: SendMessage })

/** If `to` is one recipient, `requestId` is the message's id; otherwise it names the whole request. */
export const SendResponse = Schema.Struct({ requestId: MessageId })

export class Send extends HttpApiGroup.make("send", { topLevel: true }).add(
  HttpApiEndpoint.post("send", "/send", {
    // The decoded form of its schemas is JSON already: a codec would only cost time.
    disableCodecs: true,
    payload: SendRequest,
    success: [SendResponse.pipe(HttpApiSchema.status(202)), DryRunResponse]
  })
    .annotate(CommittedByJournal, true)
    .annotate(OpenApi.Summary, "Send a message")
    .annotate(
      OpenApi.Description,
      "Accepts a message for one or more recipients. The 202 comes after the message is stored: it is not lost. "
        + "With the header `Tidings-Dry-Run: true` nothing is stored or sent, and the 200 says what would become of it."
    )
).annotate(OpenApi.Title, "Send") {}
