/** `1 node`, `2 nodes`. */
export const counted = (number: number, noun: string): string => `${number} ${number === 1 ? noun : `${noun}s`}`
