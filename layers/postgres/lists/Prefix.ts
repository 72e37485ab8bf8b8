/** What no text that starts with the prefix comes after, in the order of characters. */
export const endOf = (prefix: string): string => `${prefix}\u{10ffff}`
