import { createHash } from "node:crypto"

/**
 * A token for a header: as it is, or its digest if it is longer than the vendor accepts or not printable ASCII. Tokens
 * contain the alias of their configuration, which may be any text.
 */
export const headerToken = (token: string, longest: number): string =>
  token.length <= longest && /^[\x21-\x7e]+$/.test(token)
    ? token
    : createHash("sha256").update(token).digest("base64url")
