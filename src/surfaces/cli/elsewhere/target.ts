import type { Machine } from '../../../adapters/ssh/connection.ts'
import { UsageError } from '../exit-codes.ts'

/** `user@machine:path` of --host, taken apart. */
export interface Target extends Machine {
  /** As it was given, for words and for the next command. */
  readonly name: string
  /** Folder there; null for the person’s home. */
  readonly path: string | null
}

/** Neither begins as an option of ssh does, nor stands for something else in a shell. */
const USER = /^[^\s@:/'"`$\\;&<>|(){}*?!~-][^\s@:/'"`$\\;&<>|(){}*?!]*$/u
const MACHINE = /^(?:[\w%][\w.%-]*|\[[\da-fA-F:.%\w]+\])$/u

/**
 * `[user@]machine[:path]`, where `machine` may be an alias of ssh_config or `[IPv6]`, or
 * `ssh://[user@]machine[:port][/path]`. Paths are absolute or from the home folder there.
 */
export function parseTarget(name: string): Target {
  const uri = /^ssh:\/\/(?:([^@/]*)@)?(\[[^\]]*\]|[^:/]*)(?::(\d*))?(?:\/(.*))?$/su.exec(name)
  const plain = /^(?:([^@:/]*)@)?(\[[^\]]*\]|[^:/@]*)(?::(.*))?$/su.exec(name)
  const [, user, machine = '', third, fourth] = uri ?? plain ?? []
  const port = uri === null || third === undefined ? null : Number(third)
  const isPort = port === null || (port > 0 && port < 65_536)
  if ((user !== undefined && !USER.test(user)) || !MACHINE.test(machine) || !isPort)
    throw new UsageError(
      `--host ${name}: expected user@machine, user@machine:path or ssh://user@machine:port/path.`,
    )
  const path = uri === null ? third : rootedPath(fourth)
  return {
    name,
    destination: `${user === undefined ? '' : `${user}@`}${machine.replace(/^\[|\]$/g, '')}`,
    port,
    path: path === undefined || path === '' ? null : path,
  }
}

/** In a URI the path is absolute, but for `/~/…`. */
const rootedPath = (path: string | undefined): string | undefined =>
  path === undefined || path === '' ? undefined : /^~(?:\/|$)/.test(path) ? path : `/${path}`

const WITH_VALUE = new Set(['-C', '--cwd', '--as'])

/**
 * `--host` from before the command, and the words without it. After the command’s name it is the
 * command’s own.
 */
export function takeHost(argv: readonly string[]): { host: string | null; rest: string[] } {
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at] ?? ''
    const [, joined] = /^--host=(.*)$/s.exec(word) ?? []
    if (joined !== undefined) return { host: joined, rest: argv.toSpliced(at, 1) }
    if (word === '--host') {
      const host = argv[at + 1]
      if (host === undefined) throw new UsageError('--host: which machine? user@machine:path')
      return { host, rest: argv.toSpliced(at, 2) }
    }
    if (WITH_VALUE.has(word)) at++
    else if (!word.startsWith('-')) break
  }
  return { host: null, rest: [...argv] }
}
