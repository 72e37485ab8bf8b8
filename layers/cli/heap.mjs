/**
 * How V8 keeps the heap of a server.
 *
 * It is collected when it is 1.2 times what lives and has filled another nursery: on a machine with much memory V8 waits for four times that,
 * and a fan-out to 100,000 grew a node by 320 MB. The nursery may grow to 64 MB, so that most messages are settled before they count as old.
 * With half of it, and a heap that is collected at 1.7 times what lives, a fan-out of the same growth (100 to 125 MB) is a sixth slower:
 * V8 lets the old grow by a nursery more than the factor says, so a large one needs a small factor.
 *
 * No place in the code allocates among the old because what it made at the start lived long: the schemas of the API are made by the same few
 * functions that every request runs through, and requests that V8 took for long-lived kept those after them alive, each through something
 * it pointed to. A third of a read's time went into copying what nobody needed any more.
 */
export const heap = ["--heap-growing-percent=20", "--max-semi-space-size=64", "--no-allocation-site-pretenuring"]
