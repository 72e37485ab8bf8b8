import type { Content } from "#schemas/Elemental.ts"
import type { Rendered } from "#schemas/Rendered.ts"
import { RenderFailed } from "#src/content/RenderFailed.ts"
import { Result, type Schema } from "effect"

export { RenderFailed }

export interface Input {
  readonly content: Content
  readonly channel: string
  readonly provider: string
  readonly data: Schema.JsonObject
  readonly profile: Schema.JsonObject
  readonly context: {
    readonly messageId: string
    readonly recipient: string
    readonly tenantId: string | undefined
    readonly environment: string
  }
}

export const render = (input: Input): Result.Result<Rendered, RenderFailed> =>
  Result.succeed({
    title: input.content.title ?? "",
    subject: input.content.title ?? "",
    body: input.content.body ?? "",
    text: input.content.body ?? "",
    html: "",
    blocks: [],
    actions: []
  })
