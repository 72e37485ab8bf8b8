const special = /[&<>"'`]/
const replacements = [["&", "&amp;"], ["<", "&lt;"], [">", "&gt;"], ["\"", "&quot;"], ["'", "&#39;"], [
  "`",
  "&#96;"
]] as const

/** Escapes text for an element or a quoted attribute. */
export const escape = (text: string): string =>
  special.test(text) ? replacements.reduce((done, [from, to]) => done.replaceAll(from, to), text) : text
