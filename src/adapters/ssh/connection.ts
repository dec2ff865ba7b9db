import { createHash, randomBytes } from 'node:crypto'
import { open, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { ExomonadError } from '../../domain/errors.ts'
import { sendSignal } from '../../../packages/subagents/src/processes/signal.ts'
import { startDetached, type Exec, type ExecResult } from '../../processes/exec.ts'
import { failureOf, unreachable, type Machine } from './failure.ts'
import { remoteLine } from './remote-line.ts'
import { inodeOf, linked, listens, renamed, sweep } from './sockets.ts'

export type { Machine } from './failure.ts'

/**
 * One SSH connection to a machine, shared by all commands and processes of a person that use the
 * same folder (OpenSSH’s ControlMaster): the first makes it, and it ends by itself two minutes
 * after the last. Everything is the person’s own ssh: keys, ssh_config, host keys. It asks nobody
 * anything.
 */
export interface SshConnection {
  /** Makes it where there is none. NOT_AVAILABLE without ssh, HOST_UNREACHABLE. */
  open(): Promise<void>
  /** Asks ssh itself: the socket of a connection that was cut a moment ago may still be there. */
  isOpen(): Promise<boolean>
  /**
   * Differs from that of a connection that another process made meanwhile; null where there is none.
   */
  id(): Promise<number | null>
  /** Runs a program there to its end, without input. Exit code 255 where the connection broke. */
  run(argv: readonly string[], folder: string | null): Promise<ExecResult>
  /**
   * The command that runs a program there with the streams of the process that runs it. `terminal`:
   * on one of its own, of the size of the one here; `tied`: it ends when standard input does, of
   * which it gets nothing.
   */
  command(
    argv: readonly string[],
    folder: string | null,
    how: 'terminal' | 'tied',
  ): readonly string[]
  /**
   * A Unix socket here that leads to one there, for as long as the connection lasts. Asked for
   * again it is the same.
   */
  forward(socket: string): Promise<string>
  /**
   * A port of 127.0.0.1 here that leads to that one there, as long as the connection lasts: the
   * same where it is free. Asked for again it is the same.
   */
  forwardPort(port: number): Promise<number>
  /** Whether such a socket here still leads to the connection that there is now. */
  leads(local: string): Promise<boolean>
}

export interface SshDeps {
  readonly machine: Machine
  /** Of this user alone, with a path of at most LONGEST_FOLDER bytes. */
  readonly folder: string
  readonly env: Readonly<Record<string, string>>
  readonly exec: Exec
}

/** Names of ours take 21 bytes, and ssh adds 17 while it makes a socket. */
export const LONGEST_FOLDER = 64

/**
 * A far side that is silent is given up after four seconds. Of the person’s configuration counts
 * how the machine is reached, not what they have ssh do there.
 */
const MASTER = [
  ['ControlMaster', 'yes'],
  ['ControlPersist', '120'],
  ['BatchMode', 'yes'],
  ['ConnectTimeout', '10'],
  ['ServerAliveInterval', '1'],
  ['ServerAliveCountMax', '3'],
  ['ClearAllForwardings', 'yes'],
  ['ForwardAgent', 'no'],
  ['ForwardX11', 'no'],
  ['PermitLocalCommand', 'no'],
  ['RemoteCommand', 'none'],
  ['RequestTTY', 'no'],
  ['StreamLocalBindUnlink', 'yes'],
  ['LogLevel', 'ERROR'],
]
/**
 * Everything else goes through it or nowhere: ssh would make a connection of its own without, and
 * without the person’s configuration to the wrong machine.
 */
const THROUGH = [
  ['ControlMaster', 'no'],
  ['ProxyCommand', 'false'],
  ['LogLevel', 'ERROR'],
  ['SendEnv', 'LANG LC_* COLORTERM NO_COLOR'],
]

/** How long ssh may take to make it in all. Milliseconds. */
const CONNECT_LIMIT = 30_000
/** How long a master that runs may take to answer a control command. Milliseconds. */
const ANSWER_LIMIT = 5_000

/** Ports here for those whose own number is taken. */
const FIRST_OTHER = 20_000
const OTHER_PORTS = 10_000

const options = (all: readonly (readonly string[])[]): string[] =>
  all.flatMap(([name, value]) => ['-o', `${name}=${value}`])
/** Of ssh_config(5): quoted for blanks, `%` begins a token. */
const controlPath = (path: string): string[] => [
  '-o',
  `ControlPath="${path.replaceAll('%', '%%')}"`,
]

const hash = (text: string, length: number): string =>
  createHash('sha256').update(text).digest('hex').slice(0, length)

export function createSshConnection({ machine, folder, env, exec }: SshDeps): SshConnection {
  const key = hash(JSON.stringify([machine.destination, machine.port]), 12)
  const control = join(folder, key)
  const through = (path = control): string[] => [
    '-F',
    'none',
    ...controlPath(path),
    ...options(THROUGH),
  ]

  const order = (word: 'check' | 'exit', path: string): Promise<ExecResult> =>
    exec('ssh', [...through(path), '-O', word, '--', machine.destination], {
      env,
      timeout: ANSWER_LIMIT,
    })
  /**
   * A master that is ending still accepts, though its sessions are gone already, and answers nothing.
   * One that takes too long is there: without an answer nobody is to take its name away.
   */
  const answers = async (path: string): Promise<boolean> => {
    if (!(await listens(path))) return false
    const { exitCode } = await order('check', path)
    return exitCode === null || exitCode === 0
  }

  /** What ssh says goes to a file: of pipes something that it started could keep the other end. */
  async function connectAt(path: string): Promise<void> {
    const said = `${path}.log`
    const output = await open(said, 'wx', 0o600)
    try {
      const port = machine.port === null ? [] : ['-p', String(machine.port)]
      const child = startDetached(
        'ssh',
        [
          ...controlPath(path),
          ...options(MASTER),
          ...port,
          '-N',
          '-f',
          '-T',
          '--',
          machine.destination,
        ],
        { cwd: '/', env, output: output.fd },
      )
      child.ref()
      let late = false
      const limit = setTimeout(() => {
        late = true
        if (child.pid !== undefined) sendSignal(-child.pid, 'SIGKILL')
      }, CONNECT_LIMIT)
      const code = await new Promise<number | null>((resolve, reject) => {
        child.once('error', reject)
        child.once('exit', resolve)
      }).finally(() => clearTimeout(limit))
      if (code === 0) return
      throw failureOf(machine, late ? 'Connection timed out' : await readFile(said, 'utf8'))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
      throw withoutSsh()
    } finally {
      await output.close()
      await rm(said, { force: true })
    }
  }

  /**
   * Two that connect at once make two, and both use the one that has its name first. A name that
   * nobody answers at any more is taken away before: over it two would give theirs one after the
   * other, and the first would go on without a name.
   */
  async function publish(draft: string): Promise<void> {
    while (!(await linked(draft, control))) {
      if (await answers(control)) return await end(draft)
      const taken = `${draft}.old`
      if (!(await renamed(control, taken))) continue
      // By now it may be that of another, who was as quick.
      if (!(await answers(taken)) || (await linked(taken, control))) await rm(taken)
      else await end(taken)
    }
    await rm(draft, { force: true })
  }

  async function end(path: string): Promise<void> {
    await order('exit', path)
    await rm(path, { force: true })
  }

  const command = (flag: '-T' | '-tt', line: string): readonly string[] => [
    'ssh',
    ...through(),
    '-e',
    'none',
    flag,
    '--',
    machine.destination,
    line,
  ]

  /** As `-L` has it. What ssh says where it does not; one that is there already is the same. */
  async function addForwarding(forwarding: string): Promise<string | undefined> {
    const { exitCode, stderr } = await exec(
      'ssh',
      [...through(), '-O', 'forward', '-L', forwarding, '--', machine.destination],
      { env },
    )
    return exitCode === 0 ? undefined : stderr.trim()
  }

  /** It was not there when ssh was asked last. */
  let isDoubted = false
  const isThere = async (): Promise<boolean> => !(isDoubted = !(await answers(control)))
  async function make(): Promise<void> {
    if (await (isDoubted ? isThere() : listens(control))) return
    await sweep(folder, key)
    const draft = `${control}.${randomBytes(4).toString('hex')}`
    await connectAt(draft)
    await publish(draft)
    isDoubted = false
  }
  let making: Promise<void> | undefined

  return {
    open: () => (making ??= make().finally(() => (making = undefined))),
    isOpen: isThere,
    id: () => inodeOf(control),
    leads: async (local) => (await isThere()) && listens(local),
    run: async (argv, from) => {
      const [file = '', ...args] = command('-T', remoteLine(argv, from))
      const ran = await exec(file, args, { env })
      if (ran.startError === 'ENOENT') throw withoutSsh()
      return ran
    },
    command: (argv, from, how) =>
      how === 'terminal'
        ? command('-tt', remoteLine(argv, from))
        : command('-T', remoteLine(argv, from, 'tied')),
    forward: async (socket) => {
      const local = `${control}.${hash(socket, 8)}`
      const refusal = await addForwarding(`${local}:${socketWord(socket)}`)
      if (refusal === undefined) return local
      throw unreachable(
        'no_forwarding',
        `The connection to ${machine.destination} leads to no socket there: ${refusal}`,
      )
    },
    forwardPort: async (port) => {
      const others = Number.parseInt(hash(`${key} ${port}`, 4), 16) % OTHER_PORTS
      let refusal: string | undefined
      for (const local of [port, ...[0, 1, 2].map((index) => FIRST_OTHER + others + index)]) {
        refusal = await addForwarding(`127.0.0.1:${local}:127.0.0.1:${port}`)
        if (refusal === undefined) return local
      }
      throw unreachable(
        'no_forwarding',
        `No port here leads to port ${port} of ${machine.destination}: ${refusal ?? ''}`,
      )
    },
  }
}

const withoutSsh = (): ExomonadError =>
  new ExomonadError(
    'NOT_AVAILABLE',
    'There is no `ssh` on PATH here, and --host goes by it. Install OpenSSH’s client (openssh-client).',
  )

/** In `-L LOCAL:REMOTE`: `\` escapes, `%` begins a token. */
const socketWord = (path: string): string => path.replaceAll(/[\\:]/g, '\\$&').replaceAll('%', '%%')
