#!/usr/bin/env node
// The `tidings` command is one of the launcher's.
process.argv.splice(2, 0, "tidings")
await import("./launch.mjs")
