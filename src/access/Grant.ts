/** What a user's token is good for. */
export interface Grant {
  readonly scopes: ReadonlySet<string>
  /** The users named by its scopes. */
  readonly userIds: ReadonlyArray<string>
}
