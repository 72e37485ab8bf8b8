import { Context } from "effect"

/** Annotates an endpoint whose work takes the longer the more is stored: its caller waits for that, once it has begun. */
export const MayTakeLong = Context.Reference<boolean>("tidings/api/MayTakeLong", { defaultValue: () => false })
