import type { Rendered } from "#schemas/Rendered.ts"

/** What Amazon takes in the value of a header; a line of a mail has 998 octets (RFC 5322, 2.1.1). */
const longest = 870

/**
 * The header fields by which mail clients offer one click to unsubscribe (RFC 8058), where the message has such a link and sets neither
 * field itself. Of an address that is too long for a header, as ids of hundreds of characters make, there are none.
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
