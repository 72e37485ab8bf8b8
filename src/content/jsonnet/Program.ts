/**
 * A parsed program. It is data: nothing of it is ever turned into code. `at` is a node's offset in the source, in
 * UTF-16 units.
 */
export interface Program {
  readonly source: string
  readonly root: Node
}

export interface Parameter {
  readonly name: string
  /** Its default, if it has one; it can use the other parameters. */
  readonly otherwise: Node | undefined
}

export interface Bind {
  readonly name: string
  readonly body: Node
}

/** A field's visibility: that of the field it overrides (`:`), hidden (`::`), or visible (`:::`). */
export type Visibility = "inherited" | "hidden" | "forced"

export interface Member {
  readonly name: Node
  /** Whether its name is computed, `[name]`. If that is `null`, there is no such field. */
  readonly isComputed: boolean
  /** `+:`: added to the field that it overrides. */
  readonly adds: boolean
  readonly visibility: Visibility
  readonly body: Node
  readonly at: number
}

export interface Assertion {
  readonly condition: Node
  readonly message: Node | undefined
  readonly at: number
}

/** A `for` or an `if` of a comprehension. */
export type Clause =
  | { readonly _tag: "For"; readonly name: string; readonly of: Node }
  | { readonly _tag: "When"; readonly condition: Node }

export type BinaryOperator =
  | "*"
  | "/"
  | "%"
  | "+"
  | "-"
  | "<<"
  | ">>"
  | "<"
  | ">"
  | "<="
  | ">="
  | "in"
  | "=="
  | "!="
  | "&"
  | "^"
  | "|"
  | "&&"
  | "||"

export type UnaryOperator = "!" | "-" | "+" | "~"

export interface Application {
  readonly _tag: "Apply"
  readonly at: number
  readonly of: Node
  readonly words: ReadonlyArray<Node>
  readonly named: ReadonlyArray<readonly [string, Node]>
  /** Whether the arguments are evaluated before the call (`tailstrict`). */
  readonly strict: boolean
}

export interface ObjectLiteral {
  readonly _tag: "Object"
  readonly at: number
  readonly members: ReadonlyArray<Member>
  readonly binds: ReadonlyArray<Bind>
  readonly asserts: ReadonlyArray<Assertion>
  /** The clauses of an object comprehension, which has one member. */
  readonly clauses: ReadonlyArray<Clause>
  /** Whether `$` is this object. */
  readonly isRoot: boolean
}

export type Node =
  | { readonly _tag: "Literal"; readonly at: number; readonly value: string | number | boolean | null }
  | { readonly _tag: "Name"; readonly at: number; readonly name: string }
  | { readonly _tag: "Self"; readonly at: number }
  | { readonly _tag: "Root"; readonly at: number }
  | { readonly _tag: "Super"; readonly at: number; readonly name: Node }
  | { readonly _tag: "InSuper"; readonly at: number; readonly name: Node }
  | { readonly _tag: "Array"; readonly at: number; readonly items: ReadonlyArray<Node> }
  | {
    readonly _tag: "Comprehension"
    readonly at: number
    readonly body: Node
    readonly clauses: ReadonlyArray<Clause>
  }
  | { readonly _tag: "Index"; readonly at: number; readonly of: Node; readonly key: Node }
  | {
    readonly _tag: "Slice"
    readonly at: number
    readonly of: Node
    readonly bounds: readonly [Node | undefined, Node | undefined, Node | undefined]
  }
  | {
    readonly _tag: "Function"
    readonly at: number
    readonly parameters: ReadonlyArray<Parameter>
    readonly body: Node
  }
  | { readonly _tag: "Local"; readonly at: number; readonly binds: ReadonlyArray<Bind>; readonly body: Node }
  | {
    readonly _tag: "If"
    readonly at: number
    readonly condition: Node
    readonly body: Node
    readonly otherwise: Node | undefined
  }
  | {
    readonly _tag: "Binary"
    readonly at: number
    readonly operator: BinaryOperator
    readonly left: Node
    readonly right: Node
  }
  | { readonly _tag: "Unary"; readonly at: number; readonly operator: UnaryOperator; readonly of: Node }
  | { readonly _tag: "Error"; readonly at: number; readonly message: Node }
  | { readonly _tag: "Assert"; readonly at: number; readonly assertion: Assertion; readonly body: Node }
  | Application
  | ObjectLiteral
