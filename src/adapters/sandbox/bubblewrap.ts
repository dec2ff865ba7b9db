import type { Exec } from '../../processes/exec.ts'
import type { Confinement, Mount, Sandbox } from './sandbox.ts'

/**
 * A user, process, IPC and (offline) network namespace of its own, without capabilities: it sees no
 * other process, can signal and trace none, and has the files that it is given.
 *
 * Not `--die-with-parent`: what the agent started ends with its process namespace, not before. Not
 * `--new-session`: it would lose job control, and the terminal is its own. Not `--disable-userns`:
 * agent CLIs that have a sandbox of their own make it inside of this one.
 */
const NAMESPACES = [
  '--unshare-user',
  '--unshare-pid',
  '--unshare-ipc',
  '--unshare-uts',
  '--unshare-cgroup-try',
  '--cap-drop',
  'ALL',
]

/** Which mount option makes it; those with `-try` do nothing where the source is missing. */
const mountArguments = ({ path, source = path, access }: Mount): string[] => {
  switch (access) {
    case 'none':
      return ['--tmpfs', path]
    case 'read':
      return ['--ro-bind-try', source, path]
    case 'write':
      return ['--bind-try', source, path]
  }
}

const depth = (path: string): number => path.split('/').filter((part) => part !== '').length

/** What lies in something is mounted after it; of several at one place the last that was asked for. */
export function inOrder(mounts: readonly Mount[]): Mount[] {
  const byPath = new Map(mounts.map((mount) => [mount.path, mount]))
  return [...byPath.values()].toSorted((one, other) => depth(one.path) - depth(other.path))
}

export const mountsInOrder = (mounts: readonly Mount[]): string[] =>
  inOrder(mounts).flatMap(mountArguments)

/** The arguments of bwrap(1), without the program’s. */
export const bubblewrapArguments = ({ level, mounts, cwd, unset }: Confinement): string[] => [
  ...NAMESPACES,
  ...(level === 'offline' ? ['--unshare-net'] : []),
  '--proc',
  '/proc',
  '--dev',
  '/dev',
  ...mountsInOrder(mounts),
  // Folders on the way to a mount are made in memory: nothing is to be written there.
  '--remount-ro',
  '/',
  ...unset.flatMap((name) => ['--unsetenv', name]),
  '--chdir',
  cwd,
]

const PROBE: Confinement = {
  level: 'offline',
  mounts: ['/usr', '/bin', '/lib', '/lib64', '/nix', '/etc'].map((path) => ({
    path,
    access: 'read' as const,
  })),
  cwd: '/',
  unset: [],
}

/** Bubblewrap (tested with 0.8.0), on Linux. */
export function createBubblewrap(options: {
  readonly exec: Exec
  readonly env: Readonly<Record<string, string>>
  readonly platform: NodeJS.Platform
}): Sandbox {
  const { exec, env, platform } = options
  return {
    name: 'bubblewrap',
    probe: async () => {
      if (platform !== 'linux')
        return {
          kind: 'missing',
          reason: `agents can be confined on Linux only, and this is ${platform}`,
          fix: 'Write sandbox = "off", and run exomonad in a container or a virtual machine instead.',
        }
      const result = await exec('bwrap', [...bubblewrapArguments(PROBE), 'sh', '-c', ':'], {
        env,
        timeout: 10_000,
      })
      if (result.exitCode === 0) return { kind: 'ready' }
      const absent = result.startError !== null
      return {
        kind: 'missing',
        reason: absent
          ? 'bubblewrap (bwrap) is not installed'
          : `bubblewrap can’t make a namespace here: ${firstLine(result.stderr)}`,
        fix: absent
          ? 'Install it (Debian, Ubuntu, Fedora, Arch: package bubblewrap), or write sandbox = "off".'
          : 'Allow user namespaces (sysctl kernel.unprivileged_userns_clone=1; on Ubuntu 24.04 and newer an AppArmor profile for bwrap), or write sandbox = "off".',
      }
    },
    argv: async (confinement, argv) => [
      'bwrap',
      ...bubblewrapArguments(confinement),
      '--',
      ...argv,
    ],
  }
}

const firstLine = (text: string): string => text.trim().split('\n')[0] || 'it said nothing'
