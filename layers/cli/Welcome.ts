import { BadConfiguration } from "#layers/settings/Settings.ts"
import { ApiKeys, type BootstrapKeys, KeysUnseen } from "#src/access/ApiKeys.ts"
import { Console, Context, Effect, Layer, Redacted, Stdio, Stream } from "effect"
import { fstatSync, statSync } from "node:fs"
import { devNull } from "node:os"

/** The keys that this start made and showed; `undefined` if the store had some already or the operator chose them. */
export class FirstKeys
  extends Context.Service<FirstKeys, { readonly made: BootstrapKeys | undefined }>()("tidings/cli/FirstKeys")
{}

/** The text that shows the keys. They cannot be shown again, since only their digests are stored. */
const keysText = (heading: string, keys: BootstrapKeys): string => `
  ${heading}

    production, published   ${Redacted.value(keys.productionPublished)}
    production, draft       ${Redacted.value(keys.productionDraft)}
    test, published         ${Redacted.value(keys.testPublished)}
    test, draft             ${Redacted.value(keys.testDraft)}

`

/** The command line tool under the runtime that runs this server: where Deno is, npm need not be. */
const tidings = process.versions["deno"] === undefined ? "npm run -s tidings --" : "deno run -A layers/cli/Tidings.ts"

/** What to do with the keys. */
const stepsText = (url: string, key: string): string =>
  `    API        ${url}
    Reference  ${url}/docs
    Health     ${url}/health/ready
    Metrics    ${url}/metrics

  Send your first message, to the in-app inbox of user ada:

    curl -s ${url}/send -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' \\
      -d '{"message":{"to":{"user_id":"ada"},"content":{"title":"Hello {{name}}","body":"Your first message."},"data":{"name":"Ada"},"routing":{"method":"single","channels":["inbox"]}}}'

  Then read its timeline, with the requestId that came back:

    TIDINGS_API_KEY=${key} TIDINGS_URL=${url} ${tidings} trace <requestId>

`

/** Writes on standard output directly, not as a log line. */
const print = (text: string) => Effect.flatMap(Stdio.Stdio, ({ stdout }) => Stream.run(Stream.make(text), stdout()))

/**
 * Fails where nobody could read what is written: on the null device, which is also what a process has that was started
 * with standard output closed. Where the system does not tell, it is taken for seen.
 */
const isSeen = Effect.suspend(() => {
  const [output, nowhere] = [fstatSync(1), statSync(devNull)]
  return nowhere.rdev !== 0 && output.isCharacterDevice() && output.rdev === nowhere.rdev
    ? new KeysUnseen({ cause: "standard output is closed, or goes nowhere" })
    : Effect.void
}).pipe(Effect.catchDefect(() => Effect.void))

const shown = Effect.map(Stdio.Stdio, (stdio) => (text: string) =>
  print(text).pipe(
    Effect.provideService(Stdio.Stdio, stdio),
    Effect.mapError((cause) => new KeysUnseen({ cause })),
    Effect.andThen(isSeen)
  ))

/** Shows keys before they are stored. */
export const show = (heading: string) =>
  Effect.map(shown, (say) => (keys: BootstrapKeys) => say(keysText(heading, keys)))

/** Shows a key that is one more, before it is stored. */
export const showOne = Effect.map(shown, (say) => (key: Redacted.Redacted, name: string) =>
  say(`
  This is one more API key; it is shown this once.

    ${Redacted.value(key)}

  Its name is ${name}: tidings end-key ${name} ends it.

`))

/** Warns an operator who chose keys on a store that already has others: all requests would get 401. */
const sayUnused = (keys: ApiKeys["Service"], secret: Redacted.Redacted) =>
  Effect.catchTag(
    Effect.asVoid(keys.authenticate(Redacted.make(`pk_prod_${Redacted.value(secret)}`))),
    "InvalidKey",
    () => Effect.logWarning("TIDINGS_BOOTSTRAP_SECRET makes no keys here: this store has its own since its first start")
  )

/**
 * Makes the first keys. Whatever listens depends on this layer: a caller who got a 401 from a server that has no keys
 * yet would not come back. Keys that the operator did not choose are shown as soon as they are stored, because they
 * exist even if the start then fails to listen.
 */
export const layerKeys = (secret: Redacted.Redacted | undefined) =>
  Layer.effect(
    FirstKeys,
    Effect.gen(function*() {
      const keys = yield* ApiKeys
      const shown = yield* show("Tidings is set up. These are its API keys; they are shown this once.")
      // The log would say it too, but on the standard output that nobody reads.
      const made = yield* keys.bootstrap(secret, secret === undefined ? shown : undefined).pipe(
        Effect.catchTag("KeysUnseen", ({ message: why }) => {
          const message = `${why}; start once where it is read, or choose them with TIDINGS_BOOTSTRAP_SECRET`
          return Effect.andThen(Console.error(message), new BadConfiguration({ message }))
        })
      )
      if (made === undefined && secret !== undefined)
        yield* sayUnused(keys, secret)
      return { made: secret === undefined ? made : undefined }
    })
  )

/**
 * Prints what a new operator does first with these keys. A failure to write it, because the reader has gone, is
 * ignored.
 */
export const printSteps = (url: string, { productionPublished: key }: BootstrapKeys) =>
  Effect.ignore(print(stepsText(url, Redacted.value(key))))
