import { suite } from "./Limits.ts"

suite("embedded")
