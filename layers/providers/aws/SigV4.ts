import { createHash, createHmac } from "node:crypto"

export interface Credentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string | undefined
  readonly region: string
  readonly service: string
}

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")
const hmac = (key: string | Uint8Array, text: string): Uint8Array => createHmac("sha256", key).update(text).digest()

/** RFC 3986's unreserved characters stay, all else is percent-encoded. */
const encoded = (text: string): string =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`)

const byName = (a: readonly [string, string], b: readonly [string, string]) =>
  a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : a[1] < b[1] ? -1 : 1

/**
 * AWS Signature Version 4 (docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html): the
 * request's headers with `host`, `x-amz-date` and `authorization`. `iso` is the time of signing. Paths are taken as
 * they are; S3's own rules are left out.
 */
export const sign = (
  request: { readonly method: string; readonly url: string; readonly headers: Readonly<Record<string, string>>; readonly body: string },
  credentials: Credentials,
  iso: string
): Readonly<Record<string, string>> => {
  const url = new URL(request.url)
  const date = iso.replaceAll(/[-:]|\.\d+/g, "")
  const headers: Readonly<Record<string, string>> = {
    ...request.headers,
    host: url.host,
    "x-amz-date": date,
    ...(credentials.sessionToken === undefined ? {} : { "x-amz-security-token": credentials.sessionToken })
  }
  const signed = Object.entries(headers)
    .map(([name, value]) => [name.toLowerCase(), value.trim().replaceAll(/\s+/g, " ")] as const)
    .toSorted(byName)
  const names = signed.map(([name]) => name).join(";")
  const canonical = [
    request.method,
    url.pathname.split("/").map((part) => encoded(part)).join("/"),
    [...url.searchParams].map(([name, value]) => [encoded(name), encoded(value)] as const).toSorted(byName)
      .map(([name, value]) => `${name}=${value}`).join("&"),
    ...signed.map(([name, value]) => `${name}:${value}`),
    "",
    names,
    sha256(request.body)
  ].join("\n")
  const scope = `${date.slice(0, 8)}/${credentials.region}/${credentials.service}/aws4_request`
  const key = scope.split("/").reduce<string | Uint8Array>(hmac, `AWS4${credentials.secretAccessKey}`)
  const text = ["AWS4-HMAC-SHA256", date, scope, sha256(canonical)].join("\n")
  const signature = Buffer.from(hmac(key, text)).toString("hex")
  return {
    ...headers,
    authorization:
      `AWS4-HMAC-SHA256 Credential=${credentials.accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`
  }
}
