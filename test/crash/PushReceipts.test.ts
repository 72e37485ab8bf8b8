import { suite } from "./PushReceipts.ts"

suite("embedded")
