import { UnreadableFile } from "#layers/CannotStart.ts"
import { Effect, FileSystem, Redacted } from "effect"

/** The parameters of a URL that name files, as in libpq, and the TLS option that each file is for. */
const files = { sslrootcert: "ca", sslcert: "cert", sslkey: "key" } as const

type Parameter = keyof typeof files

/** The TLS options that the client itself does not read from a URL. */
export interface Tls {
  readonly ca?: string
  readonly cert?: string
  readonly key?: string
  readonly checkServerIdentity?: () => undefined
}

const read = Effect.fnUntraced(function*(parameter: Parameter, path: string) {
  const { readFileString } = yield* FileSystem.FileSystem
  return yield* readFileString(path).pipe(
    Effect.mapError(({ reason }) => new UnreadableFile({ parameter, path, reason: reason._tag }))
  )
})

/**
 * The TLS options that `sslrootcert`, `sslcert`, `sslkey` and `sslmode=verify-ca` of a `DATABASE_URL` ask for, as libpq
 * understands them. The client handles the other modes itself, and verifies certificates in all of them. Naming a file
 * asks for TLS, unless `sslmode=disable`; `sslrootcert=system` names none. `undefined`: leave it to the client.
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
