import type { Content as MessageContent } from "#schemas/Elemental.ts"
import type { Rendered } from "#schemas/Rendered.ts"
import * as Content from "#src/content/Content.ts"
import { Result, Schema } from "effect"

export const json = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.JsonObject))

export type Piece = Schema.JsonObject & { readonly type: string }

export interface Given {
  readonly channel?: string
  readonly provider?: string
  readonly providers?: ReadonlyArray<string>
  readonly data?: Schema.JsonObject
  readonly profile?: Schema.JsonObject
  readonly throwing?: boolean
}

const context = {
  messageId: "1-2-3",
  recipient: "ada",
  tenantId: "acme",
  environment: "test",
  now: Date.UTC(2031, 5, 1),
  variables: { brand: { name: "Acme" }, tenant: { name: "Acme Ltd" }, urls: { unsubscribe: "https://x.io/u" } }
}

export const attempt = (
  content: MessageContent,
  { channel = "inbox", data = {}, profile = {}, provider = channel, providers, throwing }: Given = {}
) => Content.render({ content, channel, provider, providers, data, profile, throwing, context })

export const render = (content: MessageContent, given?: Given): Rendered => Result.getOrThrow(attempt(content, given))

export const failure = (content: MessageContent, given?: Given): string =>
  Result.match(attempt(content, given), { onSuccess: () => "rendered", onFailure: (error) => error.detail })

/** What a text says in the inbox. */
export const body = (source: string, given?: Given): string => render({ title: "t", body: source }, given).body

export const elements = (...of: ReadonlyArray<Piece>): MessageContent => ({ version: "2022-01-01", elements: of })

/** How long something takes at most, in ms: the best of three, since the machine has other work. */
export const quickest = (run: () => void): number =>
  Math.min(...[1, 2, 3].map(() => {
    const start = performance.now()
    run()
    return performance.now() - start
  }))
