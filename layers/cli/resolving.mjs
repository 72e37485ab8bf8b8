// Older Nodes know no such hooks, and find all modules themselves.
import * as module from "node:module"
import { resolve } from "./resolve.mjs"

module.registerHooks?.({ resolve })
