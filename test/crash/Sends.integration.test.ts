import { suite } from "./Sends.ts"

suite("Postgres")
