import { ExomonadError } from '../../domain/errors.ts'

/** Why there is no connection: facts of HOST_UNREACHABLE, for programs. */
export type Unreachable =
  | 'unknown_host'
  | 'no_answer'
  | 'refused'
  | 'unknown_host_key'
  | 'host_key_changed'
  | 'not_let_in'
  | 'cut'
  | 'no_forwarding'
  | 'other'

/** How a person logs in by hand, to see and settle what ssh says. */
export const byHand = ({ destination, port }: Machine): string =>
  port === null ? `ssh ${destination}` : `ssh -p ${port} ${destination}`

export interface Machine {
  /** `user@machine`, `machine`, or an alias of the person’s ssh_config. */
  readonly destination: string
  /** Null where ssh knows it. */
  readonly port: number | null
}

const KINDS: readonly [Unreachable, RegExp, (machine: Machine) => string][] = [
  [
    'host_key_changed',
    /IDENTIFICATION HAS CHANGED/i,
    (machine) =>
      `shows another host key than the one that is known. Find out why before you go on; \`${byHand(machine)}\` says which line of known_hosts it is about`,
  ],
  [
    'unknown_host_key',
    /Host key verification failed|No \S+ host key is known/i,
    (machine) =>
      `shows a host key that is not known here. Log in once by hand (\`${byHand(machine)}\`), compare the fingerprint, and accept it`,
  ],
  [
    'not_let_in',
    /Permission denied|Too many authentication failures|No supported authentication methods/i,
    (machine) =>
      `does not let you in. Nothing is asked for here: have \`${byHand(machine)}\` work without a password (a key in ssh-agent, or an IdentityFile in ~/.ssh/config)`,
  ],
  [
    'unknown_host',
    /Could not resolve hostname|Name or service not known|nodename nor servname/i,
    () => 'is not the name of a machine that is known here. Check how it is written',
  ],
  [
    'refused',
    /Connection refused/i,
    () => 'refuses the connection: no SSH server listens there. Check name and port',
  ],
  [
    'no_answer',
    /timed out|No route to host|Network is unreachable|Host is down/i,
    () => 'does not answer. Check that it is up, and the network or VPN to it',
  ],
]

/** HOST_UNREACHABLE for what ssh said when no connection came about. */
export function failureOf(machine: Machine, said: string): ExomonadError {
  const known = KINDS.find(([, pattern]) => pattern.test(said))
  const lines = said
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !/^@+$/.test(line))
  const last = lines.at(-1)?.replace(/^ssh: /, '') ?? 'nothing'
  if (known !== undefined) {
    const [reason, , words] = known
    return unreachable(reason, `${machine.destination} ${words(machine)}. (ssh: ${last})`)
  }
  return unreachable(
    'other',
    `${machine.destination} can’t be reached: ssh said ${last}. \`${byHand(machine)}\` shows the same by hand.`,
  )
}

export const unreachable = (reason: Unreachable, message: string): ExomonadError =>
  new ExomonadError('HOST_UNREACHABLE', message, { reason })
