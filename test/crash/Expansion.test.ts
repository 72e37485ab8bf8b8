import { memory } from "./EngineStores.ts"
import { suite } from "./Expansion.ts"

suite(memory)
