import { spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { connect } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { describe } from 'vitest'
import { freePort } from './free-port.ts'
import { BIN } from './programs.ts'
import { isAlive } from './processes.ts'
import { tempHome } from './temp-repository.ts'
import { waitFor } from './wait-for.ts'

const SSHD = '/usr/sbin/sshd'

/** `describe` for tests that need an SSH server: skipped where there is none, failing in CI. */
export function describeWithSshd(title: string, body: () => void): void {
  if (existsSync(SSHD)) {
    describe(title, body)
    return
  }
  if ((process.env['CI'] ?? '') !== '')
    throw new Error(
      `${title}: ${SSHD} not found. In CI every tool is required; .ci/run installs it.`,
    )
  process.stderr.write(`skipped, ${SSHD} not found: ${title}\n`)
  describe.skip(`${title} (skipped: ${SSHD} not found)`, body)
}

/**
 * Test helper: another machine, as far as SSH shows one. A real sshd of its own on a free port of
 * the loopback, with its own host key and authorized keys, on which people log in into the home and
 * environment that they are given; and a person who sits here, with a home and an ssh of their own
 * who know it as `far`. Names that do not do: `stranger` (no host key known), `changed` (another
 * one known), `refused` (another key of one’s own), `silent` (nobody listens), `nowhere.invalid`;
 * and `closed`, which forwards no sockets. Use:
 *
 *   const machine = await startSshMachine(tree.repository.env)
 *   onTestFinished(() => machine.close())
 *   runProgram(process.execPath, [BIN, '--host', 'far:/srv/app', 'tree'], { env: machine.env })
 */
export interface SshMachine {
  /** Whole environment of the person who sits here. */
  readonly env: Readonly<Record<string, string>>
  readonly folder: string
  /** Of the home there. */
  readonly profile: string
  /** The processes that serve each to `far`, and what else goes by its port: `pid (name) state`. */
  connections(): readonly string[]
  /** Kills what serves each connection, as a network that breaks would end it. */
  cut(): void
  /** Has all connections fall silent, as a network that loses everything does; returns how to end that. */
  silence(): () => void
  close(): Promise<void>
}

export async function startSshMachine(
  there: Readonly<Record<string, string>>,
): Promise<SshMachine> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 's-')))
  const here = tempHome()
  const file = (name: string): string => join(folder, name)
  for (const key of ['host', 'id', 'other'])
    run('ssh-keygen', '-q', '-t', 'ed25519', '-N', '', '-C', key, '-f', file(key))
  writeFileSync(file('authorized'), readFileSync(file('id.pub')))
  const [port, closedPort, silentPort] = [await freePort(), await freePort(), await freePort()]

  // What one has on PATH when one logs in.
  const bin = file('bin')
  mkdirSync(bin)
  script(join(bin, 'exomonad'), `exec '${process.execPath}' '${BIN}' "$@"`)
  const profile = join(there['HOME'] ?? '', '.profile')
  writeFileSync(profile, `echo 'Good morning'\nPATH='${bin}:${there['PATH'] ?? ''}'\n`)

  const serve = async (name: string, at: number, more: string) => {
    // TERM is the terminal’s, PATH the profile’s.
    const variables = Object.entries(there)
      .filter(([variable]) => !['TERM', 'PATH', 'SHELL'].includes(variable))
      .map(([variable, value]) => `"${variable}=${value}"`)
    writeFileSync(
      file(`${name}.conf`),
      [
        `Port ${at}`,
        'ListenAddress 127.0.0.1',
        `HostKey ${file('host')}`,
        `PidFile ${file(`${name}.pid`)}`,
        `AuthorizedKeysFile ${file('authorized')}`,
        'StrictModes no',
        'UsePAM no',
        'PasswordAuthentication no',
        'KbdInteractiveAuthentication no',
        'PermitRootLogin yes',
        'PermitUserRC no',
        'MaxStartups 100',
        `SetEnv SHELL=/bin/bash ${variables.join(' ')}`,
        more,
        '',
      ].join('\n'),
    )
    // As root it wants that folder, whatever its configuration says.
    if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true, mode: 0o755 })
    const child = spawn(SSHD, ['-D', '-f', file(`${name}.conf`), '-E', file(`${name}.log`)], {
      stdio: 'ignore',
      env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' },
    })
    await waitFor('sshd to listen', () => isListening(at))
    return child
  }
  const sshd = await serve('sshd', port, '')
  const closed = await serve('closed', closedPort, 'AllowStreamLocalForwarding no')

  const known = `[127.0.0.1]:${port} ${readFileSync(file('host.pub'), 'utf8')}[127.0.0.1]:${closedPort} ${readFileSync(file('host.pub'), 'utf8')}`
  writeFileSync(file('known'), known)
  writeFileSync(file('changed'), `[127.0.0.1]:${port} ${readFileSync(file('other.pub'), 'utf8')}`)
  const host = (
    name: string,
    at: number,
    lines: Readonly<Record<string, string>> = {},
  ): string[] => [
    `Host ${name}`,
    `  HostName 127.0.0.1`,
    `  Port ${at}`,
    `  UserKnownHostsFile ${lines['known'] ?? file('known')}`,
    `  IdentityFile ${lines['key'] ?? file('id')}`,
  ]
  writeFileSync(
    file('config'),
    [
      ...host('far', port),
      // What people have in theirs and is not for us.
      '  RemoteCommand echo hello',
      '  RequestTTY force',
      `  LocalForward ${silentPort} localhost:9`,
      ...host('stranger', port, { known: file('nobody') }),
      ...host('changed', port, { known: file('changed') }),
      ...host('refused', port, { key: file('other') }),
      ...host('silent', silentPort),
      ...host('closed', closedPort),
      'Host *',
      `  User ${userInfo().username}`,
      '  IdentitiesOnly yes',
      '  GlobalKnownHostsFile /dev/null',
      '',
    ].join('\n'),
  )
  const own = file('own')
  mkdirSync(own)
  script(join(own, 'ssh'), `exec ${which('ssh')} -F '${file('config')}' "$@"`)
  script(join(own, 'exomonad'), `exec '${process.execPath}' '${BIN}' "$@"`)

  const connectionsOf = (servers: readonly (number | undefined)[]): number[][] => {
    const parents = parentsOf()
    // What they run there is a person’s, and goes on.
    const below = (pid: number): number[] =>
      [...parents]
        .filter(([one, parent]) => parent === pid && nameOf(one) === 'sshd')
        .flatMap(([one]) => [one, ...below(one)])
    return [...parents]
      .filter(([, parent]) => servers.includes(parent))
      .map(([top]) => [top, ...below(top)])
  }
  const signal = (name: NodeJS.Signals): void => {
    for (const all of connectionsOf([sshd.pid, closed.pid]))
      for (const pid of all) {
        try {
          process.kill(pid, name)
        } catch {
          // It has ended.
        }
      }
  }
  return {
    env: { ...here.env, PATH: `${own}:${here.env['PATH'] ?? ''}`, NO_COLOR: '1' },
    folder,
    profile,
    connections: () =>
      connectionsOf([sshd.pid]).map((all) =>
        all.map((pid) => readIfThere(`/proc/${pid}/stat`).split(' ', 3).join(' ')).join(', '),
      ),
    cut: () => signal('SIGKILL'),
    silence: () => {
      signal('SIGSTOP')
      return () => signal('SIGCONT')
    },
    close: async () => {
      signal('SIGKILL')
      for (const child of [sshd, closed]) child.kill('SIGKILL')
      await waitFor('sshd to end', () => [sshd, closed].every(({ pid }) => !isAlive(pid ?? 0)))
      rmSync(folder, { recursive: true, force: true })
      here.remove()
    },
  }
}

function script(path: string, line: string): void {
  writeFileSync(path, `#!/bin/sh\n${line}\n`)
  chmodSync(path, 0o755)
}

function run(program: string, ...args: readonly string[]): void {
  const { status, stderr } = spawnSync(program, [...args], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${stderr}`)
}

const which = (program: string): string =>
  spawnSync('sh', ['-c', `command -v ${program}`], { encoding: 'utf8' }).stdout.trim()

const isListening = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    const say = (it: boolean) => (): void => {
      socket.destroy()
      resolve(it)
    }
    socket.once('connect', say(true))
    socket.once('error', say(false))
  })

/** Parents of all processes. */
function parentsOf(): Map<number, number> {
  const parents = new Map<number, number>()
  for (const pid of readdirSync('/proc').map(Number).filter(Number.isInteger)) {
    const stat = readIfThere(`/proc/${pid}/stat`)
    const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    if (parent !== undefined && state !== 'Z') parents.set(pid, Number(parent))
  }
  return parents
}

const nameOf = (pid: number): string => readIfThere(`/proc/${pid}/comm`).trim()

function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
