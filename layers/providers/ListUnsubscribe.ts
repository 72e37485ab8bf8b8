import type { Rendered } from "#schemas/Rendered.ts"

/** Amazon's limit for a header's value; a line of a mail has at most 998 octets (RFC 5322, 2.1.1). */
const longest = 870

/**
 * The header fields by which mail clients offer one-click unsubscription (RFC 8058), if the message has such a link and
 * sets neither field itself. None if the link is too long for a header, as with ids of hundreds of characters.
 */
export const fields = (
  { unsubscribe }: Rendered,
  given: ReadonlyArray<string>
): ReadonlyArray<readonly [name: string, value: string]> => {
  if (unsubscribe === undefined || unsubscribe.length + 2 > longest) return []
  return given.some((name) => /^list-unsubscribe(?:-post)?$/i.test(name)) ? [] : [
    ["List-Unsubscribe", `<${unsubscribe}>`],
    ["List-Unsubscribe-Post", "List-Unsubscribe=One-Click"]
  ]
}
