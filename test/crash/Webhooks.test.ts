import { suite } from "./Webhooks.ts"

suite("embedded")
