import { ExomonadError } from '../../../domain/errors.ts'
import { NO_FOLDER, NO_PROGRAM } from '../../../domain/formats/remote-exit.ts'
import type { Target } from './target.ts'

/** Throws where the folder or the program is not there. */
export function notThere(target: Target, exitCode: number | null): void {
  if (exitCode === NO_FOLDER)
    throw new ExomonadError(
      'NOT_A_REPOSITORY',
      `There is no folder ${target.path} on ${target.destination}, or you can’t enter it. Paths are absolute or from your home folder there.`,
    )
  if (exitCode === NO_PROGRAM)
    throw new ExomonadError(
      'NOT_AVAILABLE',
      `exomonad is not on the PATH that you have on ${target.destination} when you log in. Install it there, of this same version, or have ~/.profile (zsh: ~/.zprofile) add its folder to PATH.`,
    )
}

/** `then`: what may have become of what was asked for. */
export const cutOff = ({ name }: Target, then: string): ExomonadError =>
  new ExomonadError(
    'HOST_UNREACHABLE',
    `The connection to ${name} was cut. ${then}: look there first (\`exomonad --host ${name} tree\`, which connects again), before you ask again.`,
    { reason: 'cut' },
  )

/** Its sshd refuses what `ssh -L` asks for. */
export const notForwarded = ({ name, destination }: Target, cause: unknown): ExomonadError =>
  new ExomonadError(
    'HOST_UNREACHABLE',
    `The SSH server of ${name} forwards no Unix sockets (AllowStreamLocalForwarding or DisableForwarding in its sshd_config), and --host goes by one. Have that allowed for you, or work there: \`ssh -t ${destination} exomonad …\`.`,
    { reason: 'no_forwarding' },
    { cause },
  )

/** The same of a TCP port. */
export const portNotForwarded = ({ name, destination }: Target, cause: unknown): ExomonadError =>
  new ExomonadError(
    'HOST_UNREACHABLE',
    `The SSH server of ${name} forwards no ports (AllowTcpForwarding, PermitOpen or DisableForwarding in its sshd_config), and the page is reached by one. Have that allowed for you, or use \`ssh -t ${destination} exomonad console\`.`,
    { reason: 'no_forwarding' },
    { cause },
  )
