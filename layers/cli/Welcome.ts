import { ApiKeys, type BootstrapKeys } from "#src/access/ApiKeys.ts"
import { Context, Effect, Layer, Redacted, Stdio, Stream } from "effect"

/** The keys that this start has made; none where the store had some. */
export class FirstKeys
  extends Context.Service<FirstKeys, { readonly made: BootstrapKeys | undefined }>()("tidings/cli/FirstKeys")
{}

/** What listens stands on this: a caller who was told 401 by a server that has no keys yet would not come back. */
export const layerKeys = (secret: Redacted.Redacted | undefined) =>
  Layer.effect(
    FirstKeys,
    Effect.gen(function*() {
      return { made: yield* (yield* ApiKeys).bootstrap(secret) }
    })
  )

/** What a new operator needs, once: the keys cannot be shown again, since only their digests are stored. */
export const text = (url: string, keys: BootstrapKeys): string => {
  const key = Redacted.value(keys.productionPublished)
  return `
  Tidings is set up. These are its API keys; they are shown this once.

    production, published   ${key}
    production, draft       ${Redacted.value(keys.productionDraft)}
    test, published         ${Redacted.value(keys.testPublished)}
    test, draft             ${Redacted.value(keys.testDraft)}

    API        ${url}
    Reference  ${url}/docs
    Health     ${url}/health/ready
    Metrics    ${url}/metrics

  Send your first message, to the in-app inbox of user ada:

    curl -s ${url}/send -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' \\
      -d '{"message":{"to":{"user_id":"ada"},"content":{"title":"Hello {{name}}","body":"Your first message."},"data":{"name":"Ada"},"routing":{"method":"single","channels":["inbox"]}}}'

  Then read its timeline, with the requestId that came back:

    TIDINGS_API_KEY=${key} TIDINGS_URL=${url} npm run -s tidings -- trace <requestId>

`
}

/** Prints it on standard output, past the logs. */
export const print = (url: string, keys: BootstrapKeys) =>
  Effect.gen(function*() {
    const { stdout } = yield* Stdio.Stdio
    yield* Stream.run(Stream.make(text(url, keys)), stdout())
  })
