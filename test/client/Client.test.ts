import { access } from "#test/client/Access.ts"
import { bulk } from "#test/client/Bulk.ts"
import { chat } from "#test/client/Chat.ts"
import { content } from "#test/client/Content.ts"
import { people } from "#test/client/People.ts"
import { send } from "#test/client/Send.ts"
import * as Service from "#test/client/Service.ts"
import { layer } from "@effect/vitest"

layer(Service.layer, { timeout: 180_000, excludeTestServices: true })("the published client, unmodified", (it) => {
  send(it)
  bulk(it)
  chat(it)
  people(it)
  content(it)
  access(it)
})
