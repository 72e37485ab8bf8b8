import { isOneLine } from "#layers/providers/Address.ts"
import { text } from "#layers/providers/Fields.ts"
import { isObject } from "#schemas/Json.ts"
import { Result, type Schema } from "effect"
import { detectExtension, detectMimeType } from "nodemailer/lib/mime-funcs"
import { Buffer } from "node:buffer"

/** A file that goes with the message. `cid` is how the HTML refers to it. */
export interface Attachment {
  readonly filename: string
  readonly contentType: string
  readonly content: Buffer
  readonly cid: string | undefined
  readonly inline: boolean
}

const mediaType =
  /^[a-z0-9!#$&^_.+-]{1,127}\/[a-z0-9!#$&^_.+-]{1,127}(?:; ?[a-z0-9-]{1,60}=(?:[a-z0-9._+-]+|"[a-z0-9 ._+-]+"))*$/i
/** Such parts may not be encoded (RFC 2045), so their lines would be ours to check. */
const structured = /^(?:multipart|message)\//i
const contentId = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~.@-]{1,200}$/
const base64 = /^[A-Za-z0-9+/]*={0,2}$/
const limit = 50
/** nodemailer would read these from files or URLs or as ready MIME: never for a caller. */
const forbidden = ["path", "href", "raw", "headers", "httpHeaders", "tls"]

/** What content without an `encoding` is: text in nodemailer's own form, base64 everywhere else. */
export type Unsaid = "base64" | "utf-8"

const contentOf = (fields: Schema.JsonObject, unsaid: Unsaid): Buffer | undefined => {
  const content = text(fields, "content")
  if (content === undefined) return undefined
  const isVendors = text(fields, "type", "content_type") !== undefined
  switch (text(fields, "encoding") ?? (isVendors ? "base64" : unsaid)) {
    case "base64":
      return base64.test(content.replace(/[\r\n ]+/g, "")) ? Buffer.from(content, "base64") : undefined
    case "utf8":
    case "utf-8":
      return Buffer.from(content, "utf8")
    default:
      return undefined
  }
}

/** A media type without its parameters. */
const essenceOf = (contentType: string): string => contentType.split(";", 1)[0]?.trim().toLowerCase() ?? ""

/** The type that a file's name tells; `undefined` if its ending tells none. */
const typeOfName = (filename: string): string | undefined => {
  const type = detectMimeType(filename)
  return type === unknown ? undefined : type
}

const unknown = "application/octet-stream"

/** Whether a file's name tells another type than this one. */
export const isMisnamed = ({ contentType, filename }: Pick<Attachment, "contentType" | "filename">): boolean =>
  (typeOfName(filename) ?? essenceOf(contentType)) !== essenceOf(contentType)

/** The name of a file that was given none: readers open it by its ending. */
const nameFor = (contentType: string | undefined): string => {
  const type = essenceOf(contentType ?? unknown)
  return type === unknown ? "attachment" : `attachment.${detectExtension(type)}`
}

const one = (fields: Schema.Json, unsaid: Unsaid): Result.Result<Attachment, string> => {
  if (!isObject(fields)) return Result.fail("is not an object")
  if (forbidden.some((name) => Object.hasOwn(fields, name))) return Result.fail("may only bring its content with it")
  const named = text(fields, "contentType", "content_type", "type")
  const filename = text(fields, "filename", "name") || nameFor(named)
  if (!isOneLine(filename) || filename.length > 255) return Result.fail("has no usable filename")
  const guessed = typeOfName(filename) ?? unknown
  const contentType = named ?? (structured.test(guessed) ? unknown : guessed)
  if (contentType.length > 255 || !mediaType.test(contentType) || structured.test(contentType))
    return Result.fail("has no usable content type")
  const cid = text(fields, "cid", "content_id")
  if (cid !== undefined && !contentId.test(cid)) return Result.fail("has no usable cid")
  const content = contentOf(fields, unsaid)
  if (content === undefined) return Result.fail("has no content in base64, or in the encoding that it names")
  const inline = text(fields, "contentDisposition", "disposition") === "inline"
  return Result.succeed({ filename, contentType, content, cid, inline })
}

/**
 * The attachments of an override in nodemailer's form, `{filename, content, encoding, contentType, cid}`, or the
 * `{filename, content, type or content_type, content_id}` of HTTP vendors, whose content is base64. Fails with what is
 * wrong.
 */
export const fromOverride = (
  value: Schema.Json | undefined,
  unsaid: Unsaid
): Result.Result<ReadonlyArray<Attachment>, string> => {
  if (value === undefined || value === null) return Result.succeed([])
  if (!Array.isArray(value)) return Result.fail("attachments must be an array")
  if (value.length > limit) return Result.fail(`more than ${limit} attachments`)
  const entries: ReadonlyArray<Schema.Json> = value
  return Result.all(
    entries.map((entry, index) => Result.mapError(one(entry, unsaid), (fault) => `attachment ${index} ${fault}`))
  )
}
