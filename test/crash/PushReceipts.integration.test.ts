import { suite } from "./PushReceipts.ts"

suite("Postgres")
