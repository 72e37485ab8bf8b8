import { createRequire } from "node:module"
import { parentPort } from "node:worker_threads"

/** What the worker answers: that it has loaded, or the result for a source. */
export type Said =
  | { readonly _tag: "Ready" }
  | { readonly _tag: "Html"; readonly html: string }
  | { readonly _tag: "Fault"; readonly fault: string }

// Loaded as CommonJS, since Node and Deno both can.
const mjml: (source: string, options: object) => Promise<{ readonly html: string }> = createRequire(import.meta.url)(
  "mjml"
)

const options = {
  // A source comes from a caller: no file of this machine may get into it, and nothing is fetched.
  ignoreIncludes: true,
  useMjmlConfigOptions: false,
  fonts: {},
  keepComments: true,
  minify: false,
  beautify: false,
  validationLevel: "soft"
}

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker thread has no origin
const say = (said: Said): void => parentPort?.postMessage(said)

/**
 * Numbers from 0 to 1, the same ones each time (a linear congruential generator). The compiler names the parts of some
 * elements by chance: with these numbers, a source becomes the same page wherever and whenever it is compiled.
 */
const chance = (): () => number => {
  let state = 1
  return () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32
}

parentPort?.on("message", (source: string) => {
  Object.assign(Math, { random: chance() })
  mjml(source, options).then(
    ({ html }) => say({ _tag: "Html", html }),
    (error: unknown) => say({ _tag: "Fault", fault: error instanceof Error ? error.message : "unreadable" })
  )
})

say({ _tag: "Ready" })
