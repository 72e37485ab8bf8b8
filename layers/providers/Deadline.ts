/**
 * For the whole hand-over of a message over HTTP, from the name look-up to the last byte of the answer, in ms: vendors
 * answer in hundreds of ms, and a slower call is better tried again.
 */
export const handOver = 15_000
