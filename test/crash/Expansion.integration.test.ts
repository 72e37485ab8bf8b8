import { postgres } from "./EngineStores.ts"
import { suite } from "./Expansion.ts"

suite(postgres)
