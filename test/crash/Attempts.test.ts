import { suite } from "./Attempts.ts"
import { memory } from "./EngineStores.ts"

suite(memory)
