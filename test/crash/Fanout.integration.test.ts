import { suite } from "./Fanout.ts"

suite("Postgres")
