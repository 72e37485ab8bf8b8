/** The end of the texts that start with a prefix: all of them sort before it. */
export const endOf = (prefix: string): string => `${prefix}\u{10ffff}`
