import * as Both from "#test/parity/Both.ts"
import { people } from "#test/parity/PeopleStory.ts"
import { content } from "#test/parity/ContentStory.ts"
import { access } from "#test/parity/AccessStory.ts"
import { journal } from "#test/parity/JournalStory.ts"
import * as PerFile from "#test/support/PerFile.ts"
import { layer } from "@effect/vitest"

layer(PerFile.shared(Both.layer))("parity of memory and Postgres", (it) => {
  Both.parity(it, "content", content, 1)
  Both.parity(it, "access", access)
  Both.parity(it, "people", people)
  Both.parity(it, "journal and message log", journal)
})
