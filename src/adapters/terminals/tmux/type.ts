import { randomUUID } from 'node:crypto'
import type { PaneId } from '../../../domain/ids.ts'
import type { TypeResult } from '../holder.ts'
import { type Connection, type Reply, silent } from './connection.ts'
import { TRACE_LENGTH } from '../../../domain/panes/pane-trace.ts'
import { command, sequence } from './quote.ts'

/**
 * Runs `commands` only while the pane is there, lives and is in no mode, checked in the same
 * sequence: tmux 3.3a crashes, with all panes, when it pastes into a dead one. A target that is
 * missing counts as empty values, hence the comparison.
 */
function guarded(paneId: PaneId, commands: string): string {
  const when = (format: string, yes: string, no: string) =>
    command('if-shell', '-F', '-t', paneId, format, yes, no)
  // The words are printed one by one: display-message would read the % of an id as strftime does.
  const result = (words: string) => command('display-message', '-p', `result ${words}`)
  const typed = sequence(commands, result('typed'))
  const inputOn = when('#{pane_input_off}', result('busy input'), typed)
  const inNoMode = when('#{?pane_in_mode,1,0}', result('busy mode'), inputOn)
  const alive = when('#{pane_dead}', result('dead'), inNoMode)
  return when(`#{==:#{pane_id},${paneId}}`, alive, result('gone'))
}

function resultOf(reply: Exclude<Reply, { kind: 'unknown' }>): TypeResult {
  if (reply.kind === 'no-server') return { kind: 'gone' }
  const result = reply.lines.find((line) => line.startsWith('result '))?.slice('result '.length)
  if (result === 'typed' || result === 'dead') return { kind: result }
  if (result === 'busy mode') return { kind: 'busy', reason: 'the pane is in copy mode' }
  if (result === 'busy input') return { kind: 'busy', reason: 'input to the pane is switched off' }
  if (result === undefined || result === 'gone') return { kind: 'gone' }
  return { kind: 'busy', reason: `the pane is ${result}` }
}

/**
 * A key by tmux's name for it. Throws MULTIPLEXER_UNAVAILABLE with `outcome: 'unknown'` where it
 * may have been typed.
 */
export async function pressKey(
  connection: Connection,
  paneId: PaneId,
  name: 'Enter' | 'Escape',
  { key, timeout }: { key?: string | undefined; timeout: number },
): Promise<TypeResult> {
  const press = command('send-keys', '-t', paneId, name)
  const reply = await connection.act(
    guarded(paneId, key === undefined ? press : sequence(press, remember(paneId, ENTERED, key))),
  )
  if (reply.kind === 'unknown') throw silent(paneId, timeout)
  return resultOf(reply)
}

/**
 * The options of a pane that hold the keys of its last pastes, and of those that Enter was pressed
 * for (pane-trace.ts).
 */
export const PASTED = '@pasted'
export const ENTERED = '@entered'

/**
 * As many characters as the trace’s keys take; a key that is cut in two is nobody’s. tmux puts the
 * old value in by itself, so that nothing comes between.
 */
const KEPT = TRACE_LENGTH * (36 + 1)
const remember = (paneId: PaneId, option: string, key: string): string =>
  command('set-option', '-F', '-p', '-t', paneId, option, `#{=-${KEPT}:${option}} ${key}`)

/**
 * One paste from a buffer of its own, which tmux deletes as it pastes (-d): where an answer is
 * lost, the buffer shows whether it was typed. -p brackets the text where the program asked for it,
 * -r keeps line feeds.
 */
export async function pasteText(
  connection: Connection,
  paneId: PaneId,
  text: string,
  { key, timeout }: { key: string | undefined; timeout: number },
): Promise<TypeResult> {
  const buffer = `paste-${randomUUID()}`
  const pasteIt = command('paste-buffer', '-p', '-r', '-d', '-b', buffer, '-t', paneId)
  const paste = guarded(
    paneId,
    key === undefined ? pasteIt : sequence(pasteIt, remember(paneId, PASTED, key)),
  )
  // tmux keeps no empty buffer; pasting nothing still shows whether it could be done.
  if (text === '')
    return resultOf(await connection.ask(guarded(paneId, command('display-message', '-p', ''))))
  const stored = await connection.ask(command('set-buffer', '-b', buffer, '--', text))
  if (stored.kind === 'no-server') return { kind: 'gone' }
  if (stored.errors.length > 0) throw silent(paneId, timeout)
  let reply = await connection.act(paste)
  if (reply.kind === 'unknown') {
    const buffers = await connection.ask(command('list-buffers', '-F', '#{buffer_name}'))
    if (buffers.kind === 'no-server') return { kind: 'gone' }
    if (!buffers.lines.includes(buffer)) return { kind: 'typed' }
    reply = await connection.spawn(paste)
  }
  if (reply.kind === 'unknown') throw silent(paneId, timeout)
  const result = resultOf(reply)
  if (result.kind !== 'typed') await connection.ask(command('delete-buffer', '-b', buffer))
  return result
}
