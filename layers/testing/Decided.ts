import * as Cue from "#layers/testing/Cue.ts"
import type { Call } from "#layers/testing/History.ts"
import type { VendorOptions } from "#layers/testing/VendorOptions.ts"
import { sentence } from "#schemas/SchemaRefusal.ts"
import { Result, Schema } from "effect"

const unreachable: Cue.Cue = { _tag: "Lose", after: 20, taken: false, proved: true }
/** Of an address in `rejects`, which is dead for good. */
export const rejection: Cue.Cue = { _tag: "Refuse", after: 20, kind: "RecipientRejected" }
const tooMany: Cue.Cue = { _tag: "Refuse", after: 20, kind: "RateLimited", retryAfter: 1_000 }

const decode = Schema.decodeUnknownResult(Schema.UndefinedOr(Cue.Cue))

/**
 * What a call itself decides, before its provider's script does. `earlier`: when the calls came that `perSecond` let in.
 * `isWrong` is told in a sentence why an answer of `answers` is none.
 */
export const decided = (
  { answers, down, key, perSecond, rejects }: VendorOptions,
  call: Call,
  earlier: Array<number>,
  isWrong: (fault: string) => void
): Cue.Cue | undefined => {
  if (down?.some(({ from, until }) => from <= call.calledAt && call.calledAt < until) === true) return unreachable
  if (call.address !== undefined && rejects?.includes(call.address) === true) return rejection
  if (perSecond !== undefined) {
    const first = earlier.at(-perSecond)
    if (first !== undefined && call.calledAt - first < 1_000) return tooMany
    earlier.push(call.calledAt)
  }
  if (answers === undefined) return undefined
  try {
    const decoded = decode(answers(call))
    if (Result.isSuccess(decoded)) return decoded.success
    isWrong(sentence(decoded.failure.issue, `what answers of the vendor ${key} gave`))
  } catch (error) {
    isWrong(`answers of the vendor ${key} failed: ${error instanceof Error ? error.message : String(error)}`)
  }
  return undefined
}
