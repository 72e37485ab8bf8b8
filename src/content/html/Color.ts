const literal = /^(?:#[0-9a-f]{3}(?:[0-9a-f]{3})?|[a-z]{3,20}|rgba?\([\d.,%\s]{5,40}\))$/i

/** The color if it may stand in a style: `#1a2b3c`, a name, or `rgb(…)`. */
export const color = (said: string): string | undefined => {
  const trimmed = said.trim()
  return literal.test(trimmed) ? trimmed : undefined
}

/** Red, green and blue of `#rgb`, `#rrggbb` or `rgb(…)`, each from 0 to 1. */
const parts = (color: string): ReadonlyArray<number> => {
  if (color.startsWith("#")) {
    const pairs = color.length === 4
      ? Array.from(color.slice(1), (digit) => digit + digit)
      : color.slice(1).match(/../g)
    return (pairs ?? []).map((pair) => Number.parseInt(pair, 16) / 255)
  }
  return (color.match(/[\d.]+%?/g) ?? []).slice(0, 3)
    .map((part) => Math.min(1, Number.parseFloat(part) / (part.endsWith("%") ? 100 : 255)))
}

/** WCAG 2.2's relative luminance of a color, 0 for black to 1 for white. */
const luminance = (color: string): number => {
  const [red = 0, green = 0, blue = 0] = parts(color)
    .map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** WCAG 2.2's contrast ratio of two colors, 1 to 21. */
const contrast = (one: string, other: string): number => {
  const [a, b] = [luminance(one), luminance(other)]
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)
}

const dark = "#111827"
const light = "#ffffff"

/** White or near black, whichever has more contrast with a background (WCAG 2.2); white if that is not known. */
export const readableOn = (background: string): string => {
  if (!/^(?:#|rgb)/i.test(background))
    return /^(?:white|yellow|ivory|snow|beige|gold|orange|pink|light.*)$/i.test(background) ? dark : light
  return contrast(background, dark) > contrast(background, light) ? dark : light
}
