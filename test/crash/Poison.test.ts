import { memory } from "./EngineStores.ts"
import { suite } from "./Poison.ts"

suite(memory)
