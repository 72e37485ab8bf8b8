import { suite } from "./Engine.ts"
import { postgres } from "./EngineStores.ts"

suite(postgres)
