import type { Bug } from "./Bugs.ts"

/** Bugs of messages that are begun before their page is stored, which then is made again. */
export const pages: ReadonlyArray<Bug> = [
  {
    name: "a page that is made again gives the ids of its messages to others, who are in the list by now",
    seed: 46775,
    file: "src/delivery/expansion/Paging.ts",
    text: "page.map(({ userId }) => userId)",
    becomes: "[]"
  },
  {
    name: "found: a message that is stored after its end was refused is closed as it is",
    seed: 19575,
    file: "src/delivery/journal/Write.ts",
    text: "conditional: true, from, dueAt: null",
    becomes: "conditional: true, dueAt: null"
  }
]
