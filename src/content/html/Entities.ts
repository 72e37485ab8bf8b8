/** The names of the characters from U+00A0 on, in their order. */
const latin =
  "nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute "
  + "micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig "
  + "Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash "
  + "Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc "
  + "euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml "
  + "yacute thorn yuml"

const named: ReadonlyMap<string, string> = new Map([
  ...latin.split(" ").map((name, at) => [name, String.fromCharCode(0xa0 + at)] as const),
  ["amp", "&"],
  ["lt", "<"],
  ["gt", ">"],
  ["quot", "\""],
  ["apos", "'"],
  ["trade", "™"],
  ["hellip", "…"],
  ["mdash", "—"],
  ["ndash", "–"],
  ["bull", "•"],
  ["lsquo", "‘"],
  ["rsquo", "’"],
  ["sbquo", "‚"],
  ["ldquo", "“"],
  ["rdquo", "”"],
  ["bdquo", "„"],
  ["lsaquo", "‹"],
  ["rsaquo", "›"],
  ["euro", "€"],
  ["rarr", "→"],
  ["larr", "←"],
  ["zwnj", ""],
  ["zwj", ""],
  ["shy", ""]
])

/** What a number from 0x80 to 0x9f stands for, as browsers read it: the character of windows-1252. */
const western = "€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ"

const character = (entity: string): string | undefined => {
  if (!entity.startsWith("#")) return named.get(entity)
  const isHex = /^#x/i.test(entity)
  const code = Number.parseInt(entity.slice(isHex ? 2 : 1), isHex ? 16 : 10)
  if (code >= 0x80 && code <= 0x9f) return western[code - 0x80]
  return code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : ""
}

/** Decodes the character references of an HTML text. Names that mails do not use are left as they are. */
export const decode = (text: string): string =>
  text.includes("&")
    ? text.replace(/&(#x[0-9a-f]{1,6}|#\d{1,7}|[a-z][a-z0-9]{1,7});/gi, (whole, entity: string) =>
      character(entity) ?? whole)
    : text

const reference = /&(#x?[0-9a-f]+|[a-z][a-z0-9]*)([;=]?)/gi

/**
 * Whether browsers may read a text, as the value of an attribute, otherwise than `decode`: it has a name that this does
 * not know, a character that it drops, or a reference without its semicolon. `?a=1&copy=2` has none: a name before `=`
 * stands for itself.
 */
export const isDoubtful = (text: string): boolean =>
  text.includes("&") &&
  text.matchAll(reference).some(([whole, entity = "", end]) =>
    end === ";" ? ["", whole].includes(decode(whole)) : entity.startsWith("#") || (end === "" && named.has(entity))
  )
