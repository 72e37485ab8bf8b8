import { ByteSize, Effect, Schema } from "effect"
import { HttpServerError, HttpServerRequest } from "effect/http"
import { process } from "node:process"
