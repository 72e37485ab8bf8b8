import { suite } from "./Sends.ts"

suite("embedded")
