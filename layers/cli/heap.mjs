/**
 * How V8 keeps the heap of a server.
 *
 * V8 begins to collect it when the old are 1.25 times what lived: on a machine with much memory it waits for four times that, and a fan-out to
 * 100,000 grew a node by 320 MB. Each of these collections costs a third of a second of a processor, and makes all of the nursery old, so at 1.35
 * times a fan-out costs less, but one to a million grew a node by up to 165 MB, where 150 are the bound. The nursery may grow to 64 MB, so that most messages
 * are settled before they count as old: with 32, a fan-out costs a sixteenth more, and with 128 it grows a node by 220 MB without gain. V8 rounds what is said here
 * up to a power of two (bench/TRIED.md).
 *
 * No place in the code allocates among the old because what it made at the start lived long: the schemas of the API are made by the same few
 * functions that every request runs through, and requests that V8 took for long-lived kept those after them alive, each through something
 * it pointed to. A third of a read's time went into copying what nobody needed any more.
 */
export const heap = ["--heap-growing-percent=25", "--max-semi-space-size=64", "--no-allocation-site-pretenuring"]
