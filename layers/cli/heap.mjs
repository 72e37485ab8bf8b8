/**
 * How V8 keeps the heap of a server.
 *
 * It is collected when it is 1.7 times what lives: on a machine with much memory V8 waits for four times that, and a fan-out to 100,000 grew a
 * node by 320 MB. The nursery may grow to 32 MB, so that most messages are settled before they count as old: that makes up for the
 * collections, and the same fan-out grows a node by 95 to 134 MB. With 64 MB a node under load takes a twelfth less processor time for each
 * message, and a fan-out grows it by 158 to 174 MB, which is more than it may; V8 takes what lies between for 64.
 *
 * No place in the code allocates among the old because what it made at the start lived long: the schemas of the API are made by the same few
 * functions that every request runs through, and requests that V8 took for long-lived kept those after them alive, each through something
 * it pointed to. A third of a read's time went into copying what nobody needed any more.
 */
export const heap = ["--heap-growing-percent=70", "--max-semi-space-size=32", "--no-allocation-site-pretenuring"]
