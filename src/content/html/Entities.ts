const named: ReadonlyMap<string, string> = new Map([
  ["amp", "&"],
  ["lt", "<"],
  ["gt", ">"],
  ["quot", "\""],
  ["apos", "'"],
  ["nbsp", "\u00a0"],
  ["copy", "©"],
  ["reg", "®"],
  ["trade", "™"],
  ["hellip", "…"],
  ["mdash", "—"],
  ["ndash", "–"],
  ["bull", "•"],
  ["middot", "·"],
  ["lsquo", "‘"],
  ["rsquo", "’"],
  ["ldquo", "“"],
  ["rdquo", "”"],
  ["laquo", "«"],
  ["raquo", "»"],
  ["euro", "€"],
  ["pound", "£"],
  ["yen", "¥"],
  ["cent", "¢"],
  ["sect", "§"],
  ["deg", "°"],
  ["times", "×"],
  ["rarr", "→"],
  ["larr", "←"],
  ["zwnj", ""],
  ["zwj", ""],
  ["shy", ""]
])

const character = (entity: string): string | undefined => {
  if (!entity.startsWith("#")) return named.get(entity)
  const isHex = /^#x/i.test(entity)
  const code = Number.parseInt(entity.slice(isHex ? 2 : 1), isHex ? 16 : 10)
  return code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : ""
}

/** Decodes the character references of an HTML text. Names that mails do not use are left as they are. */
export const decode = (text: string): string =>
  text.includes("&")
    ? text.replace(/&(#x[0-9a-f]{1,6}|#\d{1,7}|[a-z]{2,8});/gi, (whole, entity: string) => character(entity) ?? whole)
    : text
