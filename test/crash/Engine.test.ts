import { suite } from "./Engine.ts"
import { memory } from "./EngineStores.ts"

suite(memory)
