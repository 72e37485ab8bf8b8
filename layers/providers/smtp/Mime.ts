import * as Base64 from "nodemailer/lib/base64"
import type MimeNode from "nodemailer/lib/mime-node"
import * as QuotedPrintable from "nodemailer/lib/qp"
import { Buffer } from "node:buffer"

const lineLength = 76

/** Only content in memory counts: files, URLs and streams are never opened. */
const contentOf = ({ content }: MimeNode): Buffer | string =>
  typeof content === "string" || content instanceof Buffer ? content : ""

const encoded = (node: MimeNode): string => {
  const content = contentOf(node)
  switch (node.getTransferEncoding()) {
    case "base64":
      return Base64.wrap(Base64.encode(content), lineLength)
    case "quoted-printable":
      return QuotedPrintable.wrap(QuotedPrintable.encode(content), lineLength)
    default:
      return content.toString()
  }
}

/**
 * The node and everything below it as text. nodemailer itself would put four streams and two abort signals around each
 * message, most of what a message costs; here everything is in memory already.
 */
export const write = (node: MimeNode): string => {
  // Also sets the boundary and the encoding, so it comes first.
  const head = `${node.buildHeaders()}\r\n\r\n`
  if (typeof node.multipart !== "string") return `${head}${encoded(node)}`
  const parts = node.childNodes.map((child) => `--${node.boundary}\r\n${write(child)}`)
  return `${head}${parts.join("\r\n")}\r\n--${node.boundary}--\r\n`
}
