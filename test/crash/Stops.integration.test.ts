import { suite } from "./Stops.ts"

suite("Postgres")
