/**
 * How V8 keeps the heap of a server. It is collected when it is 1.7 times what lives: on a machine with much memory V8 waits for four times that,
 * and a fan-out to 100,000 grew a node by 320 MB. The nursery may grow to 32 MB, so that most messages are settled before they count as old:
 * that makes up for the collections, and the same fan-out grows a node by 105 to 134 MB.
 */
export const heap = ["--heap-growing-percent=70", "--max-semi-space-size=32"]
