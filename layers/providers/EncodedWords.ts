import { encodeWords } from "nodemailer/lib/mime-funcs"

/**
 * Writes what is beyond ASCII in a header's value as encoded words (RFC 2047): many servers and SES refuse anything
 * else, and SendGrid asks for it.
 */
export const inAscii = (value: string): string => /^[\x20-\x7e]*$/.test(value) ? value : encodeWords(value, "B", 52)
