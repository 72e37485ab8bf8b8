import type { Content as MessageContent } from "#schemas/Elemental.ts"
import type { Rendered } from "#schemas/Rendered.ts"
import * as Content from "#src/content/Content.ts"
import { assert } from "@effect/vitest"
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
) => Content.render({ content, channel, provider, providers, data, profile, throwing, context: () => context })

export const render = (content: MessageContent, given?: Given): Rendered => Result.getOrThrow(attempt(content, given))

export const failure = (content: MessageContent, given?: Given): string =>
  Result.match(attempt(content, given), { onSuccess: () => "rendered", onFailure: (error) => error.detail })

/** What a text says in the inbox. */
export const body = (source: string, given?: Given): string => render({ title: "t", body: source }, given).body

export const text = (content: string, more: Piece | object = {}): Piece => ({ ...more, type: "text", content })

export const elements = (...of: ReadonlyArray<Piece>): MessageContent => ({ version: "2022-01-01", elements: of })

const words = "word ".repeat(200_000)

/** A fixed piece of work: it looks at a million characters. */
const yardstick = (): number => {
  let sum = 0
  for (let at = 0; at < words.length; at++) sum = (sum * 31 + words.charCodeAt(at)) | 0
  return sum
}

/** In µs of the processor's own time: what else the machine does is no part of it. */
const cost = (run: () => void): number => {
  const before = process.cpuUsage()
  run()
  const { system, user } = process.cpuUsage(before)
  return system + user
}

/**
 * Yardsticks that no content may take: those of the tests take up to twenty, and thousands where the time is quadratic in their length. Time that
 * a virtual machine is robbed of counts as the processor's: in a bad hour each of three rounds took more than a hundred.
 */
const tooMany = 500

/** Fails where something takes far more than its share, measured beside a yardstick; measured again while it is in doubt. */
export const assertQuick = (run: () => void, name: string): void => {
  let least = Infinity
  for (let round = 0; round < 3 && least >= tooMany; round++) least = Math.min(least, cost(run) / cost(yardstick))
  assert.isBelow(least, tooMany, name)
}
