import { randomBytes } from 'node:crypto'
import { mkdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { ExomonadError } from '../../../errors.ts'
import type { PaneId } from '../../../ids.ts'
import { isRunning } from '../../../processes/processes.ts'
import type { Commands } from './commands.ts'
import { parseEntries, withRecords, type Entry, type Listed } from './panes.ts'
import { lookedAt, type Looking } from './people.ts'
import type { Records } from './records.ts'

/**
 * What Zellij is asked. Its answers get lost while it is busy, or reach whoever asks next (0.45.1: an answer is sent to the number of a client,
 * which another may have by then). So each is looked at, and asked for again where it is not one to that question.
 */
export interface Queries {
  /** All panes; undefined where there is no session. */
  entries(): Promise<Entry[] | undefined>
  /** Panes of ours. */
  listing(): Promise<Listed[]>
  clients(): Promise<Looking[]>
  /** Rows of a pane's screen; undefined where it is not there. */
  screen(paneId: PaneId, ...more: string[]): Promise<string[] | undefined>
}

const ATTEMPTS = 40
const PAUSE = 50
/** An answer of a moment ago may lack what is there by now. */
const LOOKS = 3
/** How long a file may take that was asked for. Milliseconds. */
const FILE_WITHIN = 500
const FILE_POLL = 5
/** How long an empty file stays that of an empty screen. Milliseconds. */
const EMPTY_FOR = 100

/** `folder`: for files that Zellij writes. */
export function createQueries({ commands, records, folder }: { commands: Commands; records: Records; folder: string }): Queries {
  const ask = async <Answer>(action: readonly string[], read: (stdout: string) => Answer | undefined): Promise<Answer | undefined> => {
    let reason = 'it says nothing'
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const reply = await commands.action(...action)
      if (reply.kind === 'no-session') return undefined
      const answer = reply.kind === 'done' ? read(reply.stdout) : undefined
      if (answer !== undefined) return answer
      if (reply.kind === 'failed') reason = reply.reason
      await delay(PAUSE)
    }
    throw new ExomonadError('MULTIPLEXER_UNAVAILABLE', `Zellij does not answer ${action.join(' ')}: ${reason}. Run \`exomonad doctor\`.`, {
      session: commands.session,
    })
  }
  const entries = (): Promise<Entry[] | undefined> => ask(['list-panes', '--json'], parseEntries)

  /** A program of ours runs whose pane is not among these. */
  const lacksOne = async (panes: readonly Listed[]): Promise<boolean> => {
    const found = new Set(panes.map(({ record }) => record.key))
    const missing = (await records.keys()).filter((key) => !found.has(key))
    const lives = await Promise.all(
      missing.map(async (key) => {
        const record = await records.read(key)
        return record !== undefined && record.ended === null && record.pid !== null && (await isRunning(record.pid))
      }),
    )
    return lives.includes(true)
  }

  /** By way of a file with a name of its own: an answer about another pane would look like one about this. */
  const dump = async (paneId: PaneId, more: readonly string[]): Promise<string | undefined> => {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const file = join(folder, `screen-${randomBytes(8).toString('hex')}`)
    try {
      const reply = await commands.action('dump-screen', '--pane-id', paneId, '--path', file, ...more)
      if (reply.kind === 'no-session') return undefined
      let text: string | undefined
      for (let end = performance.now() + FILE_WITHIN; performance.now() < end; await delay(FILE_POLL)) {
        const read = await readFile(file, 'utf8').catch(() => undefined)
        // What is there may not be written yet, for the answer to another command ended this one.
        if (read === '' && text === undefined) end = performance.now() + EMPTY_FOR
        text = read
        if (text !== undefined && text !== '') return text
      }
      return text
    } finally {
      await rm(file, { force: true })
    }
  }

  const listing = async (): Promise<Listed[]> => {
    for (let look = 1; ; look += 1) {
      const found = await entries()
      if (found === undefined) return []
      const panes = await withRecords(found, records)
      if (look === LOOKS || !(await lacksOne(panes))) return panes
      await delay(PAUSE)
    }
  }

  return {
    entries,
    listing,
    clients: async () => (await ask(['list-clients'], lookedAt)) ?? [],
    screen: async (paneId, ...more) => {
      for (let look = 1; ; look += 1) {
        const text = await dump(paneId, more)
        if (text !== undefined) return text.replace(/\n$/, '').split('\n')
        if (look === LOOKS || !(await listing()).some((pane) => pane.paneId === paneId)) return undefined
      }
    },
  }
}
