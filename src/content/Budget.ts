import type { Scan } from "#src/delivery/conditions/Scan.ts"
import { RenderFailed } from "#src/content/RenderFailed.ts"

/** Limits on one rendering of one message, all its elements together. */
export const limits = {
  /** Characters of output; of one channel's HTML too. */
  output: 1_048_576,
  /** Turns of loops. */
  turns: 10_000,
  /** Steps of any kind. They bound the time, since a step takes well under a microsecond. */
  steps: 50_000,
  /** Characters and list items that conditions and helpers may scan. */
  scanned: 8_388_608,
  /** How deep elements may be nested. */
  depth: 32
} as const

/**
 * Counts what a rendering uses. The first limit that is exceeded is kept as `failure`; from then on every call tells
 * its caller to stop.
 */
export class Budget {
  #output = limits.output
  #turns = limits.turns
  #steps = limits.steps
  readonly scan: Scan = { left: limits.scanned }
  failure: RenderFailed | undefined = undefined

  /** Counts steps; `false` once there is a failure. `count` above 1 is for what takes longer than a microsecond. */
  step(count = 1): boolean {
    this.#steps -= count
    if (this.#steps < 0) this.fail(`The content takes more than ${limits.steps} steps to render`)
    return this.failure === undefined
  }

  /** Counts characters or list items that are scanned. */
  look(amount: number): boolean {
    this.scan.left -= amount
    if (this.scan.left < 0) this.fail(`The content looks through more than ${limits.scanned} characters`)
    return this.failure === undefined
  }

  turn(): boolean {
    if (--this.#turns < 0) this.fail(`The content's loops take more than ${limits.turns} turns`)
    return this.step()
  }

  write(characters: number): boolean {
    this.#output -= characters
    if (this.#output < 0) this.fail(`The content renders to more than ${limits.output} characters`)
    return this.failure === undefined
  }

  fail(detail: string): void {
    this.failure ??= new RenderFailed({ detail })
  }
}
