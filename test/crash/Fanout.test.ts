import { suite } from "./Fanout.ts"

suite("embedded")
