import { statfs } from 'node:fs/promises'
import type { Config } from '../../../config/schema.ts'
import type { CliContext } from '../context.ts'
import type { Diagnosis } from './diagnosis.ts'

/**
 * The programs and the room that exomonad needs. `multiplexer`: what the repository’s configuration
 * says.
 */
export async function diagnoseMachine(
  context: CliContext,
  multiplexer: Config['multiplexer']['kind'] | null,
): Promise<Diagnosis[]> {
  const findings = await Promise.all([
    node(),
    program(context, GIT),
    program(context, TMUX),
    zellij(context, multiplexer === 'zellij'),
    program(context, CURL),
    program(context, SHELL),
    disk(context),
  ])
  return findings.flat()
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
  return Promise.resolve({
    subject: 'node',
    status: 'ok',
    found: `${process.versions.node} (${process.execPath})`,
  })
}

/**
 * Of interest only where agents are to be shown in it, or somebody sits in it and might wish that.
 */
async function zellij(
  { host, environment }: CliContext,
  configured: boolean,
): Promise<Diagnosis[]> {
  if (!configured && !environment.inside.zellij) return []
  const { version, needed, usable } = await host.multiplexers.look('zellij')
  const found = version === null ? 'not found on PATH' : `zellij ${version}`
  if (usable)
    return [
      {
        subject: 'zellij',
        status: 'ok',
        found: configured ? found : `${found}; you are in it, and \`exomonad init\` would take it`,
      },
    ]
  const why = configured
    ? 'it is to show the agents, which run all the same'
    : 'you are in it, but it can’t show agents there'
  const fix = `Install Zellij ${needed} or newer${configured ? ', or set [multiplexer] kind to "auto"' : ' for that'}`
  return [
    {
      subject: 'zellij',
      status: configured ? 'warning' : 'note',
      found: `${found}; ${needed} is needed: ${why}`,
      fix,
    },
  ]
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
    return {
      subject,
      status,
      found: `${found}; ${requirement.least.join('.')} is needed: ${why}`,
      fix,
    }
  }
  return { subject, status: 'ok', found: found.replace(/^curl (\S+).*/, 'curl $1') }
}

const isAtLeast = (
  [major, minor]: readonly [number, number],
  [leastMajor, leastMinor]: readonly [number, number],
): boolean => major > leastMajor || (major === leastMajor && minor >= leastMinor)

async function disk(context: CliContext): Promise<Diagnosis> {
  const { bavail, bsize } = await statfs(context.options().cwd)
  const free = bavail * bsize
  const found = `${(free / 1e9).toFixed(1)} GB free`
  if (free < 200e6)
    return {
      subject: 'disk',
      status: 'problem',
      found,
      fix: 'Make room: every agent needs a checkout of its own',
    }
  return free < 2e9
    ? {
        subject: 'disk',
        status: 'warning',
        found,
        fix: 'Make room: every agent needs a checkout of its own',
      }
    : { subject: 'disk', status: 'ok', found }
}
