import { arch, cpus, release, totalmem, type } from 'node:os'
import { basename } from 'node:path'
import process from 'node:process'
import { configJsonSchema, schemaAt } from '../../../config/schema-guide.ts'
import { readIfThere } from '../../../config/user-state.ts'
import { parseJson } from '../../../domain/formats/parse-json.ts'
import { parseToml } from '../../../domain/formats/parse-toml.ts'
import type { Paths } from '../../../runtime/paths.ts'
import { BUILD } from '../../../runtime/version.ts'
import type { CliContext } from '../context.ts'
import { daemonOutput } from '../daemon/daemon-process.ts'
import { readHealth } from '../daemon/health.ts'
import { storeConfig } from '../daemon/store-config.ts'
import type { LocatedRepository } from '../locate.ts'
import type { Diagnosis } from './diagnosis.ts'

/**
 * What a report of a fault needs: versions, findings, the configuration’s shape, the store’s numbers
 * and the end of the log. Without `withText` nobody’s words are in it: no tasks, no names of agents and
 * branches, no texts of the configuration. Secrets never are, in either.
 */
export async function writeReport(
  context: CliContext,
  located: LocatedRepository | null,
  { findings, withText }: { findings: readonly Diagnosis[]; withText: boolean },
): Promise<string> {
  const facts = located === null ? null : await storeFacts(context, located.paths)
  const known = facts === null || typeof facts === 'string' ? [] : facts.known
  const places = [
    ...(located === null
      ? []
      : ([
          [located.paths.commonDir, '<git>'],
          [located.paths.home, '<repository>'],
        ] as const)),
    [context.environment.home, '~'],
    [context.options().cwd, '<folder>'],
  ] as const
  const sections: [string, readonly string[]][] = [
    ['exomonad', await versions(context, located)],
    [
      'doctor',
      findings.map(
        ({ subject, status, found }) =>
          `${status}  ${subject}: ${withText ? found : findingOf(found, places)}`,
      ),
    ],
  ]
  if (located !== null) {
    const { paths } = located
    sections.push(
      ['configuration', configuration((await readIfThere(paths.configFile)) ?? '', withText)],
      ['store', typeof facts === 'string' || facts === null ? [facts ?? ''] : numbers(facts)],
      ['log', lastLines((await readIfThere(paths.log)) ?? '', withText)],
      ['output of the daemon', lastLines((await readIfThere(daemonOutput(paths))) ?? '', withText)],
    )
    if (withText)
      sections.push([
        'agents',
        known.map(({ name, branch, task }) => `${name} (${branch}): ${task.slice(0, MOST_TASK)}`),
      ])
  }
  const text = sections.map(([title, lines]) => [`== ${title}`, ...lines, ''].join('\n')).join('\n')
  return context.host.report.clean(withText ? text : withoutNames(text, known), {
    hashes: known.map(({ tokenHash }) => tokenHash),
    places,
  })
}

/** Where programs of the system lie, on everybody’s machine. */
const SYSTEM = /^\/(?:usr|bin|sbin|lib|opt|etc|proc|dev|nix|tmp)(?:\/|$)/

/** A finding without what it quotes, and without folders that say whose machine it is. */
export function findingOf(
  found: string,
  places: readonly (readonly [path: string, called: string])[],
): string {
  const unquoted = found.replaceAll(/"[^"]*"/g, '(text)')
  const known = places.reduce(
    (left, [path, called]) => (path.length < 2 ? left : left.replaceAll(path, called)),
    unquoted,
  )
  return known.replaceAll(/(?<![\w.~:/>-])\/[^\s,;:()'"`]+/g, (path) =>
    SYSTEM.test(path) ? path : '<path>',
  )
}

const MOST_TASK = 500
const LOG_LINES = 200

async function versions(
  { version, environment, host }: CliContext,
  located: LocatedRepository | null,
): Promise<string[]> {
  const health = located === null ? null : await readHealth(located.file.socket)
  const tools = await Promise.all(
    [
      ['git', '--version'],
      ['tmux', '-V'],
      ['bwrap', '--version'],
      ['curl', '--version'],
      ['gh', '--version'],
      ['ssh', '-V'],
    ].map(async ([file = '', ...args]) => {
      const { exitCode, stdout, stderr, startError } = await host.run(file, args, { timeout: 5000 })
      const [line = ''] = `${stdout}${stderr}`.split('\n')
      return `${file}: ${startError === null && exitCode === 0 ? line : 'not there'}`
    }),
  )
  // Asked in a way that leaves nothing behind: Zellij writes a log before it says its version.
  const { version: zellij } = await host.multiplexers.look('zellij')
  const variable = (name: string): string => environment.variables[name] ?? ''
  return [
    `exomonad ${version}, build ${BUILD}`,
    `daemon: ${health === null ? 'does not answer' : `${health.version}, build ${health.build ?? 'of before'}, up ${health.uptime_seconds ?? '?'} s, forge ${health.forge ?? '?'}, terminals ${health.multiplexer ?? '?'}`}`,
    `node ${process.versions.node}, ${type()} ${release()} ${arch()}`,
    `${cpus().length} processors, ${Math.round(totalmem() / 1e9)} GB`,
    `locale ${variable('LC_ALL') || variable('LANG')}, TERM ${variable('TERM')}, shell ${basename(variable('SHELL'))}`,
    ...tools,
    `zellij: ${zellij ?? 'not there'}`,
  ]
}

async function storeFacts(context: CliContext, paths: Paths) {
  const store = await storeConfig(context, paths)
  try {
    if (store.kind === 'sqlite') return await context.host.report.store(paths)
    const { server, version, bytes, agents, live } = await context.host.store.postgres.status(
      paths,
      store,
    )
    return `PostgreSQL ${server}, version ${version} of the tables, ${bytes} bytes, ${agents} agents, ${live} live`
  } catch (error) {
    return `can’t be read: ${(error as Error).message}`
  }
}

function numbers(facts: Exclude<Awaited<ReturnType<typeof storeFacts>>, string>): string[] {
  const counts = (title: string, found: Readonly<Record<string, number>>): string[] =>
    Object.entries(found).map(([what, count]) => `${title}: ${what}: ${count}`)
  return [
    `version ${facts.version}, ${facts.bytes} bytes`,
    ...counts('rows', facts.rows),
    ...counts('agents', facts.agents),
    ...counts('deliveries', facts.deliveries),
    ...counts('under way', facts.journal),
    ...facts.events.map(({ at, type: name }) => `event ${new Date(at).toISOString()} ${name}`),
  ]
}

/**
 * Every key that is set. Values are shown where they can be nobody’s words: numbers, truth, and what
 * the schema lists; with `withText` other texts, too, but never those of variables for programs.
 */
export function configuration(text: string, withText: boolean): string[] {
  const schema = configJsonSchema()
  const lines: string[] = []
  const walk = (value: unknown, path: readonly string[]): void => {
    if (Array.isArray(value)) {
      for (const [index, one] of value.entries()) walk(one, [...path, String(index)])
      if (value.length === 0) lines.push(`${path.join('.')} = []`)
    } else if (typeof value === 'object' && value !== null && !(value instanceof Date)) {
      for (const [key, one] of Object.entries(value)) walk(one, [...path, key])
    } else lines.push(`${path.join('.')} = ${shown(value, path)}`)
  }
  const shown = (value: unknown, path: readonly string[]): string => {
    if (typeof value !== 'string') return String(value)
    const node = schemaAt(schema, path)
    const listed = node?.enum?.includes(value) === true || node?.const === value
    const isVariable = path.some((step) => ['env', 'headers', 'environment'].includes(step))
    return listed || (withText && !isVariable)
      ? JSON.stringify(value)
      : `(text of ${value.length} characters)`
  }
  try {
    walk(parseToml(text), [])
  } catch {
    return ['can’t be read']
  }
  return lines
}

/** Of lines in JSON what can be nobody’s words, where those are to stay out. */
export function lastLines(text: string, withText: boolean): string[] {
  const lines = text
    .split('\n')
    .filter((line) => line !== '')
    .slice(-LOG_LINES)
  return withText ? lines : lines.map(plainLine)
}

/** Names, numbers and codes: one word, without spaces. */
const WORD = /^[\w.:%@-]{1,64}$/

function plainLine(line: string): string {
  let entry: unknown
  try {
    entry = parseJson(line)
  } catch {
    return `(a line of ${line.length} characters)`
  }
  if (typeof entry !== 'object' || entry === null) return `(a line of ${line.length} characters)`
  const facts = Object.entries(entry).flatMap(([key, value]) => {
    if (['time', 'level', 'msg'].includes(key)) return [[key, value] as const]
    if (key === 'err') return [[key, errorFacts(value)] as const]
    const isPlain =
      typeof value === 'number' ||
      typeof value === 'boolean' ||
      (typeof value === 'string' && WORD.test(value))
    return isPlain ? [[key, value] as const] : []
  })
  return JSON.stringify(Object.fromEntries(facts))
}

/** Where it was thrown, and its code; its message may quote anything. */
function errorFacts(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return null
  const { type: name, code, stack } = value as Record<string, unknown>
  const frames =
    typeof stack === 'string' ? stack.split('\n').filter((line) => /^\s+at /.test(line)) : []
  return { type: name, code, at: frames.slice(0, 8).map((frame) => frame.trim()) }
}

/** Names of agents and branches as numbers: they say what somebody works on. */
function withoutNames(
  text: string,
  known: readonly { readonly kind: string; readonly name: string; readonly branch: string }[],
): string {
  const names = known
    .filter(({ kind }) => kind !== 'root')
    .flatMap(({ name, branch }, index) => [
      [branch, `branch-${index + 1}`] as const,
      [name, `agent-${index + 1}`] as const,
    ])
    .toSorted(([one], [other]) => other.length - one.length)
  return names.reduce(
    (out, [name, number]) =>
      out.replaceAll(
        new RegExp(`(?<![\\w-])${name.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&')}(?![\\w-])`, 'g'),
        number,
      ),
    text,
  )
}
