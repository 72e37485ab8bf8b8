import { type KeyKind, keyKinds } from "#layers/cli/KeyKinds.ts"
import { print } from "#layers/cli/Print.ts"
import * as Store from "#layers/cli/Store.ts"
import * as Welcome from "#layers/cli/Welcome.ts"
import * as Audits from "#layers/postgres/Audit.ts"
import * as KeyRing from "#layers/postgres/KeyRing.ts"
import type { Values } from "#layers/settings/Settings.ts"
import { DateTime, Effect } from "effect"

const line = ({ createdAt, environment, name, state }: KeyRing.NamedKey): string =>
  `${name}  ${`${environment}, ${state}`.padEnd(21)}  made ${DateTime.formatIso(DateTime.makeUnsafe(createdAt))}`

/** Shows which keys there are, by name: they themselves are stored nowhere. */
export const list = Store.withStore(() => Effect.flatMap(KeyRing.list, (keys) => print(keys.map(line).join("\n"))))

/** Makes one more key. */
export const add = (kind: KeyKind) =>
  Store.withStore(() => {
    const [environment, state] = keyKinds[kind]
    return Effect.provide(
      Effect.flatMap(Welcome.showOne, (show) => KeyRing.add(environment, state, show)),
      Audits.layer
    )
  })

/** Ends one key. */
export const end = (said: string) =>
  Store.withStore(Effect.fnUntraced(function*({ databaseUrl }: Values) {
    const { name } = yield* KeyRing.end(said)
    yield* print(
      `${name} opens nothing any more${
        databaseUrl === undefined ? "" : "; nodes that run may take it for a minute more"
      }`
    )
  }, Effect.provide(Audits.layer)))
