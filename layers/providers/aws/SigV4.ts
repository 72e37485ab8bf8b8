import { Buffer } from "node:buffer"
import { createHmac, createSecretKey, hash, type KeyObject } from "node:crypto"

export interface Credentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string | undefined
  readonly region: string
  readonly service: string
}

const sha256 = (text: string): string => hash("sha256", text, "hex")
const hmac = (key: Uint8Array, text: string): Uint8Array => createHmac("sha256", key).update(text).digest()

/** Percent-encodes everything but RFC 3986's unreserved characters. */
const encoded = (text: string): string =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`)

const byName = (a: readonly [string, string], b: readonly [string, string]) =>
  a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : a[1] < b[1] ? -1 : 1

export interface Unsigned {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/**
 * AWS Signature Version 4 (docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html): returns
 * a request's headers with `host`, `x-amz-date` and `authorization`. `iso` is the time of signing. A path is encoded
 * once more than it is in the URL, as every service but S3 wants it. The key of a day is derived once and kept as a key
 * object: `createHmac` would otherwise make one for every signature, at eight times the cost of signing.
 */
export const signer = (credentials: Credentials) => {
  const token = credentials.sessionToken === undefined ? {} : { "x-amz-security-token": credentials.sessionToken }
  let derived: { readonly scope: string; readonly key: KeyObject } | undefined
  const keyOf = (scope: string) => {
    if (derived?.scope !== scope) {
      const key = scope.split("/").reduce<Uint8Array>(hmac, Buffer.from(`AWS4${credentials.secretAccessKey}`))
      derived = { scope, key: createSecretKey(key) }
    }
    return derived.key
  }

  return (request: Unsigned, iso: string): Readonly<Record<string, string>> => {
    const url = new URL(request.url)
    const date = iso.replaceAll(/[-:]|\.\d+/g, "")
    const headers = { ...request.headers, host: url.host, "x-amz-date": date, ...token }
    const signed = Object.entries(headers)
      .map(([name, value]) => [name.toLowerCase(), value.trim().replaceAll(/\s+/g, " ")] as const)
      .toSorted(byName)
    const names = signed.map(([name]) => name).join(";")
    const query = [...url.searchParams].map(([name, value]) => [encoded(name), encoded(value)] as const).toSorted(
      byName
    )
    const canonical = [
      request.method,
      url.pathname.split("/").map(encoded).join("/"),
      query.map(([name, value]) => `${name}=${value}`).join("&"),
      ...signed.map(([name, value]) => `${name}:${value}`),
      "",
      names,
      sha256(request.body)
    ].join("\n")
    const scope = `${date.slice(0, 8)}/${credentials.region}/${credentials.service}/aws4_request`
    const text = ["AWS4-HMAC-SHA256", date, scope, sha256(canonical)].join("\n")
    const signature = createHmac("sha256", keyOf(scope)).update(text).digest("hex")
    const by = `Credential=${credentials.accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`
    return { ...headers, authorization: `AWS4-HMAC-SHA256 ${by}` }
  }
}
