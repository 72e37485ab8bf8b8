import { suite } from "./Limits.ts"

suite("Postgres")
