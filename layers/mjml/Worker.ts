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

parentPort?.on("message", (source: string) => {
  mjml(source, options).then(
    ({ html }) => say({ _tag: "Html", html }),
    (error: unknown) => say({ _tag: "Fault", fault: error instanceof Error ? error.message : "unreadable" })
  )
})

say({ _tag: "Ready" })
