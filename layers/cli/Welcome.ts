import { ApiKeys, type BootstrapKeys, KeysUnseen } from "#src/access/ApiKeys.ts"
import { Context, Effect, Layer, Redacted, Stdio, Stream } from "effect"

/** The keys that this start has made and shown; none where the store had some or the operator chose them. */
export class FirstKeys
  extends Context.Service<FirstKeys, { readonly made: BootstrapKeys | undefined }>()("tidings/cli/FirstKeys")
{}

/** The keys, once: they cannot be shown again, since only their digests are stored. */
const keysText = (keys: BootstrapKeys): string => `
  Tidings is set up. These are its API keys; they are shown this once.

    production, published   ${Redacted.value(keys.productionPublished)}
    production, draft       ${Redacted.value(keys.productionDraft)}
    test, published         ${Redacted.value(keys.testPublished)}
    test, draft             ${Redacted.value(keys.testDraft)}

`

/** The command, for who has the runtime that this is: where Deno is, npm need not be. */
const tidings = process.versions["deno"] === undefined ? "npm run -s tidings --" : "deno run -A layers/cli/Tidings.ts"

/** What to do with them. */
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

/** On standard output, past the logs. */
const print = (text: string) => Effect.flatMap(Stdio.Stdio, ({ stdout }) => Stream.run(Stream.make(text), stdout()))

/** An operator who chose keys on a store that has others would meet only 401. */
const sayUnused = (keys: ApiKeys["Service"], secret: Redacted.Redacted) =>
  Effect.catchTag(
    Effect.asVoid(keys.authenticate(Redacted.make(`pk_prod_${Redacted.value(secret)}`))),
    "InvalidKey",
    () => Effect.logWarning("TIDINGS_BOOTSTRAP_SECRET makes no keys here: this store has its own since its first start")
  )

/**
 * What listens stands on this: a caller who was told 401 by a server that has no keys yet would not come back. Keys that nobody chose are
 * shown as they are stored: a start that then cannot listen has made them all the same.
 */
export const layerKeys = (secret: Redacted.Redacted | undefined) =>
  Layer.effect(
    FirstKeys,
    Effect.gen(function*() {
      const keys = yield* ApiKeys
      const stdio = yield* Stdio.Stdio
      const show = (made: BootstrapKeys) =>
        print(keysText(made)).pipe(
          Effect.provideService(Stdio.Stdio, stdio),
          Effect.mapError((cause) => new KeysUnseen({ cause }))
        )
      const made = yield* keys.bootstrap(secret, secret === undefined ? show : undefined)
      if (made === undefined && secret !== undefined) yield* sayUnused(keys, secret)
      return { made: secret === undefined ? made : undefined }
    })
  )

/** What a new operator does first with the keys just shown. A server whose reader has read enough serves all the same. */
export const printSteps = (url: string, { productionPublished: key }: BootstrapKeys) =>
  Effect.ignore(print(stepsText(url, Redacted.value(key))))
