import { setTimeout as delay } from 'node:timers/promises'
import { join } from 'node:path'
import { ExomonadError } from '../../../errors.ts'
import type { PaneId } from '../../../ids.ts'
import { PACKAGE_ROOT } from '../../../package-root.ts'
import { LEAST } from '../../panes/least.ts'
import { titleOf } from '../../panes/program.ts'
import type { OpenPane } from '../multiplexer.ts'
import type { Commands, Reply } from './commands.ts'
import type { Listed } from './panes.ts'
import type { Records } from './records.ts'

const HOLDER = join(PACKAGE_ROOT, 'hooks', 'hold-pane.sh')
const POLL = 10
/** How long what is said to have failed may take to be there all the same. Milliseconds. */
const DOUBT = 2000

/** In a tab of its own, or in the one of `beside`. Answers undefined where there is no session. */
export async function openPane(
  options: OpenPane,
  deps: {
    readonly commands: Commands
    readonly records: Records
    readonly list: () => Promise<readonly Listed[]>
    /** One after the other. */
    readonly alone: <Result>(work: () => Promise<Result>) => Promise<Result>
    /** Gives new tabs room for a pane of that size. */
    readonly fit: (columns: number, rows: number) => Promise<void>
    /** Knows `--no-focus` (0.45 and later): before, a person’s view moves along to what is opened. */
    readonly quiet: boolean
    /** Milliseconds until its program has to run. */
    readonly timeout: number
  },
): Promise<{ paneId: PaneId; pid: number } | undefined> {
  const { commands, records, list, alone, fit, quiet, timeout } = deps
  const name = titleOf(options.name)
  const key = await records.create({ agentId: options.agentId, name })
  const giveUp = async (reason: string): Promise<never> => {
    await records.remove(key)
    throw new ExomonadError('MULTIPLEXER_UNAVAILABLE', `Zellij opened no pane for ${name}: ${reason}. Run \`exomonad doctor\`.`, { session: commands.session })
  }
  const env = Object.entries(options.env).map(([variable, value]) => `${variable}=${value}`)
  const common = ['--cwd', options.cwd, ...(quiet ? ['--no-focus'] : [])]
  const words = ['--', '/bin/sh', HOLDER, records.pathOf(key), ...env, '--', ...options.argv]
  const inTabOf = async (beside: PaneId): Promise<Reply | undefined> => {
    const panes = await list()
    const tab = panes.find(({ paneId }) => paneId === beside)?.tabId
    const hasRoom = panes.some(({ tabId, columns, rows }) => tabId === tab && (columns >= 2 * LEAST.columns + 2 || rows >= 2 * LEAST.rows + 2))
    return tab === undefined || !hasRoom ? undefined : commands.action('new-pane', '--tab-id', String(tab), '--name', name, ...common, ...words)
  }

  const reply = await alone(async () => {
    const beside = options.beside === undefined ? undefined : await inTabOf(options.beside)
    if (beside?.kind === 'done') return beside
    await fit(options.columns, options.rows)
    return commands.action('new-tab', '--name', name, ...common, ...words)
  }).catch(async (error: unknown) => {
    // Without its record nothing starts any more (hooks/hold-pane.sh).
    await records.remove(key)
    throw error
  })
  if (reply.kind === 'no-session') {
    await records.remove(key)
    return undefined
  }
  // A failure may be that of another command (queries.ts).
  const limit = reply.kind === 'failed' ? Math.min(timeout, DOUBT) : timeout
  for (const end = performance.now() + limit; performance.now() < end; await delay(POLL)) {
    const record = await records.read(key)
    if (record === undefined || record.pid === null) continue
    const pane = (await list()).find((listed) => listed.record.key === key)
    if (pane !== undefined) return { paneId: pane.paneId, pid: record.pid }
  }
  return giveUp(reply.kind === 'failed' ? reply.reason : `its program did not start within ${String(timeout)} ms`)
}
