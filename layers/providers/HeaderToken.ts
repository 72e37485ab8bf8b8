import { createHash } from "node:crypto"

/**
 * A token as a header takes it: its own text, or its digest where that is longer than the vendor takes or no printable ASCII. Tokens hold the
 * alias of their configuration, which may be any text.
 */
export const headerToken = (token: string, longest: number): string =>
  token.length <= longest && /^[\x21-\x7e]+$/.test(token)
    ? token
    : createHash("sha256").update(token).digest("base64url")
