/** What leads into a sandbox without a network, and out of it. */
export interface Ways {
  /** Folder that both sides have; the sockets that the ways begin and end at lie in it. */
  readonly folder: string
  /** Where the program is started. */
  readonly cwd: string
  /** Hosts that it reaches, by a proxy at `proxyPort`: see `parseAllowed`. */
  readonly hosts: readonly string[]
  readonly proxyPort: number
  /** Address of the person’s own proxy, which ours goes through. */
  readonly upstream?: string
  /** Ports of 127.0.0.1 outside that it reaches at the same port. */
  readonly outward: readonly number[]
  /** Ports of 127.0.0.1 inside that are reached from outside at the same port. */
  readonly inward: readonly number[]
}

/**
 * Variable in which gate and relay are told: in an argument everybody could read it. Neither hands
 * it on to the program.
 */
export const WAYS = 'EXOMONAD_WAYS'

/** Names of the sockets, relative to the folder: the path of a socket has little room. */
export const PROXY = 'proxy.sock'
export const outwardSocket = (port: number): string => `out-${port}.sock`
export const inwardSocket = (port: number): string => `in-${port}.sock`
