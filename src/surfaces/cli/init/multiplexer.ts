import { readFile } from 'node:fs/promises'
import { withMultiplexerKind } from '../../../config/multiplexer-kind.ts'
import type { Config } from '../../../config/schema.ts'
import type { CliContext } from '../context.ts'
import { rewriteConfiguration, type SetUp } from './initialize.ts'
import type { Palette } from '../../text/palette.ts'
import { printableLine } from '../../text/printable.ts'

type Kind = Config['multiplexer']['kind']

/** Where agents have their terminals. Reasons are sentences without a full stop. */
export interface MultiplexerReport {
  /** Null where the configuration is not trusted or doesn’t parse. */
  readonly kind: Exclude<Kind, 'auto'> | null
  readonly why: string | null
  /** What init was run in and did not take. */
  readonly refused: readonly string[]
  /** It is in the configuration since now. */
  readonly written: boolean
  /** What is left to do. */
  readonly change: string | null
}

export interface Choice extends Pick<MultiplexerReport, 'refused'> {
  readonly kind: Exclude<Kind, 'auto'>
  readonly why: string
  /** What `auto` would not come to, and the configuration does not say. */
  readonly toWrite: Kind | null
}

const NAMES = { tmux: 'tmux', zellij: 'Zellij' } as const

/** The one that init is run in, else the configured one, else tmux, else none. */
export async function chooseMultiplexer(
  { host }: Pick<CliContext, 'host'>,
  configured: Kind,
): Promise<Choice> {
  const refused: string[] = []
  const tmux = await host.multiplexers.look('tmux')
  const automatic = tmux.usable ? ('tmux' as const) : ('headless' as const)
  const before = configured === 'auto' ? automatic : configured
  for (const kind of await host.multiplexers.around()) {
    const { usable, version, needed } = kind === 'tmux' ? tmux : await host.multiplexers.look(kind)
    if (usable)
      return {
        kind,
        why: `this is ${NAMES[kind]}${version === null ? '' : ` ${version}`}`,
        refused,
        toWrite: kind === before ? null : kind,
      }
    refused.push(
      version === null
        ? `this is ${NAMES[kind]}, but there is no \`${kind}\` on PATH: ${needed} or newer is needed`
        : `this is ${NAMES[kind]}, but \`${kind}\` on PATH is ${version}, and ${needed} or newer is needed`,
    )
  }
  if (configured !== 'auto')
    return { kind: configured, why: 'as configured', refused, toWrite: null }
  return {
    kind: automatic,
    why: tmux.usable ? 'tmux is installed' : 'tmux is not installed',
    refused,
    toWrite: null,
  }
}

/** Of a configuration that init has just made, with the choice in it. */
export const madeWith = ({ kind, why, refused, toWrite }: Choice): MultiplexerReport => ({
  kind,
  why,
  refused,
  written: toWrite !== null,
  change: null,
})

/**
 * For a configuration that is there: its author’s text with another kind, where init is run in
 * another multiplexer than it says.
 */
export async function updateMultiplexer(
  context: CliContext,
  setUp: SetUp,
): Promise<MultiplexerReport> {
  const { paths } = setUp
  const config = await context.host.loadConfig(paths.configFile).catch(() => null)
  // What came with a repository and nobody has read is no place to write to: it would be trusted,
  // or not be what they have read.
  if (config === null || setUp.untrusted.length > 0)
    return { kind: null, why: null, refused: [], written: false, change: null }
  const choice = await chooseMultiplexer(context, config.multiplexer.kind)
  const { kind, why, refused, toWrite } = choice
  if (toWrite === null) return madeWith(choice)
  const changed = await write(context, setUp, toWrite)
  if (changed) return { kind, why, refused, written: true, change: null }
  const change = `agents run in it once [multiplexer] kind = "${kind}" stands in ${paths.configFile}, which is written so that only you should change it`
  return {
    kind: config.multiplexer.kind === 'auto' ? null : config.multiplexer.kind,
    why: 'as configured',
    refused,
    written: false,
    change: `${why}; ${change}`,
  }
}

async function write(context: CliContext, setUp: SetUp, kind: Kind): Promise<boolean> {
  const before = await readFile(setUp.paths.configFile, 'utf8').catch(() => '')
  const after = withMultiplexerKind(before, kind)
  if (after === null) return false
  await rewriteConfiguration(context, setUp, { before, after })
  return true
}

/**
 * For a daemon that was started with the configuration as it was before. `current`: the multiplexer
 * that it works with.
 */
export const notYet = (report: MultiplexerReport, current: string | undefined): MultiplexerReport =>
  report.written && report.kind !== current
    ? {
        ...report,
        change:
          'The daemon goes on as it was started: `exomonad down` ends it and its agents, `exomonad resume --all` begins them there',
      }
    : report

export function multiplexerFact(
  { kind, why, written }: MultiplexerReport,
  palette: Palette,
): [string, string][] {
  if (kind === null) return []
  return [
    [
      'terminals',
      `${printableLine(why === null ? kind : `${kind}: ${why}`)}${written ? palette.dim(' (written to the configuration)') : ''}`,
    ],
  ]
}

export const multiplexerLines = (
  { refused, change }: MultiplexerReport,
  palette: Palette,
): string[] =>
  [...refused, ...(change === null ? [] : [change])].map(
    (text) => `${palette.attention('!')} ${printableLine(text)}`,
  )
