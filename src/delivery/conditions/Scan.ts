/** Characters and list items, weighted, that may still be looked through; what is beyond is not looked at. */
export interface Scan {
  left: number
}

/**
 * Milliseconds' worth, 15 at most. A profile may have texts and lists of megabytes, and who asks, hundreds of questions
 * about each.
 */
export const most = 4_194_304

export const make = (): Scan => ({ left: most })

/** Pays for looking through something; false if that was more than there was left. */
export const pays = (scan: Scan, amount: number): boolean => (scan.left -= amount) >= 0

/**
 * A search may take the product of both lengths. V8 was measured to need at most 8 ns for a character of the text and a
 * short word, and 1.3 ns more for each 8 characters of a long one.
 */
export const costOfSearch = (text: string, sought: string): number =>
  text.length * Math.min(sought.length, 2 + (sought.length >> 3))
