import { setTimeout as delay } from 'node:timers/promises'
import { join } from 'node:path'
import { ExomonadError } from '../../../errors.ts'
import type { PaneId } from '../../../ids.ts'
import { PACKAGE_ROOT } from '../../../package-root.ts'
import { endPanes } from '../../../processes/end-processes.ts'
import { LEAST } from '../least.ts'
import { titleOf } from '../program.ts'
import type { OpenPane } from '../holder.ts'
import type { Commands, Reply } from './commands.ts'
import type { Keeper } from './keeper.ts'
import type { Listed } from './panes.ts'
import type { Records } from './records.ts'
import type { Traits } from './version.ts'

const HOLDER = join(PACKAGE_ROOT, 'hooks', 'hold-pane.sh')
const POLL = 10
const ANY_SIZE = '-'
/** A tab that does not have its size by then is given it. Milliseconds. */
const SIZE_WITHIN = 150
/** How long what is said to have failed may take to be there all the same, and what is said to be done. Milliseconds. */
const DOUBT = 2000
const FIRST_TRY = 6000
const TRIES = 3

export interface OpenDeps {
  readonly commands: Commands
  readonly records: Records
  readonly list: () => Promise<readonly Listed[]>
  /** One after the other. */
  readonly alone: <Result>(work: () => Promise<Result>) => Promise<Result>
  readonly keeper: Pick<Keeper, 'fit' | 'visit'>
  readonly traits: Traits
  /** Milliseconds until its program has to run. */
  readonly timeout: number
}

type Tried = { kind: 'opened'; paneId: PaneId; pid: number } | { kind: 'no-session' } | { kind: 'missing'; reason: string }

/**
 * In a tab of its own, or in the one of `beside`. Answers undefined where there is no session. Zellij may say that it has made a tab that has no
 * room for its pane: what was opened so and can’t be found is opened again.
 */
export async function openPane(options: OpenPane, deps: OpenDeps): Promise<{ paneId: PaneId; pid: number } | undefined> {
  for (let tries = 1; ; tries += 1) {
    const tried = await tryToOpen(options, deps, tries)
    if (tried.kind === 'no-session') return undefined
    if (tried.kind === 'opened') return { paneId: tried.paneId, pid: tried.pid }
    if (tries < TRIES) continue
    throw new ExomonadError('MULTIPLEXER_UNAVAILABLE', `Zellij opened no pane for ${titleOf(options.name)}: ${tried.reason}. Run \`exomonad doctor\`.`, {
      session: deps.commands.session,
    })
  }
}

async function tryToOpen(options: OpenPane, deps: OpenDeps, tries: number): Promise<Tried> {
  const { commands, records, list, alone, keeper, traits, timeout } = deps
  const name = titleOf(options.name)
  const key = await records.create({ agentId: options.agentId, name })
  const env = Object.entries(options.env).map(([variable, value]) => `${variable}=${value}`)
  const common = ['--cwd', options.cwd, ...(traits.quiet ? ['--no-focus'] : [])]
  const wordsWith = (size: string) => ['--', '/bin/sh', HOLDER, records.pathOf(key), size, ...env, '--', ...options.argv]
  const inTabOf = async (beside: PaneId): Promise<Reply | undefined> => {
    const panes = await list()
    const tab = panes.find(({ paneId }) => paneId === beside)?.tabId
    const hasRoom = panes.some(({ tabId, columns, rows }) => tabId === tab && (columns >= 2 * LEAST.columns + 2 || rows >= 2 * LEAST.rows + 2))
    if (tab === undefined || !hasRoom) return undefined
    await records.note(key, { framed: true })
    return commands.action('new-pane', '--tab-id', String(tab), '--name', name, ...common, ...wordsWith(ANY_SIZE))
  }

  let waitsForSize = false
  const found = async () => (await list()).find((listed) => listed.record.key === key)
  /** Its program waits for the size. */
  const hasStarted = async (): Promise<boolean> => typeof (await records.read(key))?.pid === 'number'
  /** False where the pane is not there yet. */
  const giveSize = async (): Promise<boolean> => {
    const pane = await found()
    if (pane === undefined) return false
    if (pane.columns === options.columns && pane.rows === options.rows) return true
    await alone(async () => {
      // There may have been many before.
      if (await hasStarted()) return
      await keeper.fit(options.columns, options.rows, false)
      await keeper.visit(pane.paneId, hasStarted)
    })
    return true
  }

  const reply = await alone(async () => {
    const beside = options.beside === undefined ? undefined : await inTabOf(options.beside)
    if (beside?.kind === 'done') return beside
    if (beside !== undefined) await records.note(key, { framed: false })
    await keeper.fit(options.columns, options.rows, tries > 1)
    waitsForSize = traits.ownSizes
    return commands.action('new-tab', '--name', name, ...common, ...wordsWith(waitsForSize ? `${String(options.rows)} ${String(options.columns)}` : ANY_SIZE))
  }).catch(async (error: unknown) => {
    // Without its record nothing starts any more (hooks/hold-pane.sh).
    await records.remove(key)
    throw error
  })
  if (reply.kind === 'no-session') {
    await records.remove(key)
    return { kind: 'no-session' }
  }
  // A failure may be that of another command (queries.ts).
  const limit = reply.kind === 'failed' ? Math.min(timeout, DOUBT) : tries < TRIES ? Math.min(timeout, FIRST_TRY) : timeout
  const begun = performance.now()
  let isGiven = false
  for (let end = begun + limit; performance.now() < end; await delay(POLL)) {
    const record = await records.read(key)
    if (record?.pid === null && waitsForSize && !isGiven && performance.now() > begun + SIZE_WITHIN) {
      isGiven = await giveSize()
      if (isGiven) end = performance.now() + limit
    }
    if (record === undefined || record.pid === null) continue
    const pane = await found()
    if (pane !== undefined) return { kind: 'opened', paneId: pane.paneId, pid: record.pid }
  }
  const started = await records.read(key)
  await records.remove(key)
  if (started !== undefined && started.pid !== null) await endPanes([{ pid: started.pid, agentId: null, ended: started.ended !== null }], { grace: 0 })
  return { kind: 'missing', reason: reply.kind === 'failed' ? reply.reason : `its program did not start within ${String(limit)} ms` }
}
