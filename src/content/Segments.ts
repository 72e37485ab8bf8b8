/** How a text message is cut for the mobile network; each segment is paid for. */
export interface Segments {
  readonly count: number
  readonly encoding: "GSM-7" | "UCS-2"
}

/** GSM 03.38: its basic table, and its extension table, whose characters take two places each. */
const gsm = /^[\n\r !"#$%&'()*+,\-./0-9:;<=>?@A-Z_a-z¡£¤¥§¿ÄÅÆÇÉÑÖØÜßàäåæèéìñòöøùüΓΔΘΛΞΠΣΦΨΩ\f[\\\]^{|}~€]*$/
const extended = /[\f[\\\]^{|}~€]/

/** Places in a single segment, and in each of several, which carry a header (3GPP TS 23.040). */
const room = { "GSM-7": [160, 153], "UCS-2": [70, 67] } as const

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" })

/** No vendor accepts longer texts. */
const longest = 16_384

const packed = (sizes: ReadonlyArray<number>, whole: number, part: number): number => {
  const total = sizes.reduce((sum, size) => sum + size, 0)
  if (total <= whole) return 1
  let count = 1
  let left = part
  for (const size of sizes) {
    // A character larger than a segment fills several; any other is never split.
    if (size > left) {
      count += Math.ceil((size - left) / part)
      left = size > part ? part - ((size - left) % part || part) : part - size
    } else left -= size
  }
  return count
}

/** The segments of a text; `undefined` for one that no vendor takes. */
export const segmentsOf = (text: string): Segments | undefined => {
  if (text.length > longest) return undefined
  if (gsm.test(text)) {
    const sizes = () => Array.from(text, (character) => extended.test(character) ? 2 : 1)
    const short = text.length <= room["GSM-7"][0] && !extended.test(text)
    return { count: short ? 1 : packed(sizes(), ...room["GSM-7"]), encoding: "GSM-7" }
  }
  const [whole, part] = room["UCS-2"]
  if (text.length <= whole) return { count: 1, encoding: "UCS-2" }
  return {
    count: packed(Array.from(graphemes.segment(text), ({ segment }) => segment.length), whole, part),
    encoding: "UCS-2"
  }
}
