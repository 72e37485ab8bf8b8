import { CannotConnect } from "#layers/CannotStart.ts"
import { Effect, FileSystem, Redacted } from "effect"

/** Files that libpq's parameters of a URL name, and what they are in a connection. */
const files = { sslrootcert: "ca", sslcert: "cert", sslkey: "key" } as const

type Parameter = keyof typeof files

/** What the client leaves out of a URL. */
export interface Tls {
  readonly ca?: string
  readonly cert?: string
  readonly key?: string
  readonly checkServerIdentity?: () => undefined
}

const read = Effect.fnUntraced(function*(parameter: Parameter, path: string) {
  const { readFileString } = yield* FileSystem.FileSystem
  return yield* readFileString(path).pipe(
    Effect.mapError(({ reason }) =>
      new CannotConnect({ cause: new Error(`${parameter}=${path} cannot be read (${reason._tag})`) })
    )
  )
})

/**
 * What `sslrootcert`, `sslcert`, `sslkey` and `sslmode=verify-ca` of a `DATABASE_URL` ask of TLS, as libpq takes them; the client knows the other
 * modes itself, and verifies certificates in all of them. Who names a file wants TLS, unless `sslmode=disable`. `undefined`: as the client
 * does it alone. `sslrootcert=system` names no file.
 */
export const ofUrl = Effect.fnUntraced(function*(url: Redacted.Redacted) {
  const { searchParams } = new URL(Redacted.value(url))
  const mode = searchParams.get("sslmode")
  if (mode === "disable") return undefined
  let tls: Tls | undefined = mode === "verify-ca" ? { checkServerIdentity: () => undefined } : undefined
  for (const parameter of ["sslrootcert", "sslcert", "sslkey"] as const) {
    const path = searchParams.get(parameter) ?? ""
    if (path === "" || (parameter === "sslrootcert" && path === "system")) continue
    tls = { ...tls, [files[parameter]]: yield* read(parameter, path) }
  }
  return tls
})
