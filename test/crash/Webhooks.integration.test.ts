import { suite } from "./Webhooks.ts"

suite("Postgres")
