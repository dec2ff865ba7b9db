export interface PermissionFinding {
  /** In the words of a token’s settings where it is one of those: `Contents: write`. */
  readonly permission: string
  readonly state: 'ok' | 'missing' | 'unknown'
  /** Without it exomonad can’t do its work there; else it does less. */
  readonly needed: boolean
  /** Both are sentences without a full stop. */
  readonly why: string
  readonly fix: string | null
}
