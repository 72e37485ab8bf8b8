import { suite } from "./Stops.ts"

suite("embedded")
