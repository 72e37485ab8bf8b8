#!/usr/bin/env node
// The `tidings` command.
import { launch } from "./launch.mjs"

launch("tidings", process.argv.slice(2))
