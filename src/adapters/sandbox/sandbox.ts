/** How far an agent is confined; `offline`: as `workspace`, and no network but what is let through. */
export type Confined = 'workspace' | 'offline'

/** What a confined program finds at `path`. Everything that no mount names is not there. */
export interface Mount {
  /** Absolute, as the program sees it. */
  readonly path: string
  /** Absolute, on this machine; default: the same. Where it is missing there is no mount. */
  readonly source?: string
  /** `none`: an empty folder, whatever lies there. */
  readonly access: 'read' | 'write' | 'none'
}

/** What a program is confined to. */
export interface Confinement {
  readonly level: Confined
  readonly mounts: readonly Mount[]
  /** Absolute path that it is started in. */
  readonly cwd: string
  /** Variables that it must not have, whoever set them. */
  readonly unset: readonly string[]
}

/** One way to hold a program. Implementations pass test/integration/sandbox/escapes.test.ts. */
export interface Sandbox {
  readonly name: string
  /** Tried for real, since it depends on the kernel and on who may use it. */
  probe(): Promise<{ kind: 'ready' } | { kind: 'missing'; reason: string; fix: string }>
  /** The arguments that run `argv` confined. */
  argv(confinement: Confinement, argv: readonly string[]): Promise<readonly string[]>
}
