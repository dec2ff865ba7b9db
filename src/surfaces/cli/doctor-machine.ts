import { statfs } from 'node:fs/promises'
import type { CliContext } from './context.ts'
import type { Diagnosis } from './doctor-diagnosis.ts'

/** The programs and the room that exomonad needs, whatever the repository. */
export async function diagnoseMachine(context: CliContext): Promise<Diagnosis[]> {
  return Promise.all([node(), program(context, GIT), program(context, TMUX), program(context, CURL), program(context, SHELL), disk(context)])
}

interface Requirement {
  readonly subject: string
  readonly argv: readonly string[]
  /** Lowest version; null where any will do. */
  readonly least: readonly [number, number] | null
  readonly status: 'warning' | 'problem'
  readonly why: string
  readonly fix: string
}

const GIT: Requirement = {
  subject: 'git',
  argv: ['git', '--version'],
  least: [2, 38],
  status: 'problem',
  why: 'merges are made with `git merge-tree --write-tree`',
  fix: 'Install git 2.38 or newer',
}
const TMUX: Requirement = {
  subject: 'tmux',
  argv: ['tmux', '-V'],
  least: [3, 2],
  status: 'warning',
  why: 'without it agents run in headless terminals, which you can follow but not type into',
  fix: 'Install tmux 3.2 or newer, or set [multiplexer] kind = "headless"',
}
const CURL: Requirement = {
  subject: 'curl',
  argv: ['curl', '--version'],
  least: [7, 40],
  status: 'warning',
  why: 'the hooks of agent CLIs speak to the daemon with it',
  fix: 'Install curl',
}
const SHELL: Requirement = {
  subject: 'sh',
  argv: ['sh', '-c', 'echo present'],
  least: null,
  status: 'problem',
  why: 'agents are launched by it',
  fix: 'Put a POSIX sh on PATH',
}

function node(): Promise<Diagnosis> {
  return Promise.resolve({ subject: 'node', status: 'ok', found: `${process.versions.node} (${process.execPath})` })
}

async function program(context: CliContext, requirement: Requirement): Promise<Diagnosis> {
  const [file = '', ...args] = requirement.argv
  const result = await context.host.run(file, args, { timeout: 10_000 })
  const { subject, status, why, fix } = requirement
  if (result.exitCode !== 0) return { subject, status, found: `not found on PATH; ${why}`, fix }
  const version = /(\d+)\.(\d+)/.exec(result.stdout)
  if (requirement.least === null) return { subject, status: 'ok', found: 'present' }
  const found = (result.stdout.split('\n')[0] ?? '').trim()
  if (version === null || !isAtLeast([Number(version[1]), Number(version[2])], requirement.least)) {
    return { subject, status, found: `${found}; ${requirement.least.join('.')} is needed: ${why}`, fix }
  }
  return { subject, status: 'ok', found: found.replace(/^curl (\S+).*/, 'curl $1') }
}

const isAtLeast = ([major, minor]: readonly [number, number], [leastMajor, leastMinor]: readonly [number, number]): boolean =>
  major > leastMajor || (major === leastMajor && minor >= leastMinor)

async function disk(context: CliContext): Promise<Diagnosis> {
  const { bavail, bsize } = await statfs(context.options().cwd)
  const free = bavail * bsize
  const found = `${(free / 1e9).toFixed(1)} GB free`
  if (free < 200e6) return { subject: 'disk', status: 'problem', found, fix: 'Make room: every agent needs a checkout of its own' }
  return free < 2e9
    ? { subject: 'disk', status: 'warning', found, fix: 'Make room: every agent needs a checkout of its own' }
    : { subject: 'disk', status: 'ok', found }
}
