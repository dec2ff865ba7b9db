import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach } from 'vitest'
import type { Multiplexer, OpenPane } from '../../../src/adapters/terminals/holder.ts'
import { newAgentId, type AgentId, type PaneId } from '../../../src/domain/ids.ts'
import { waitFor } from '../../helpers/wait-for.ts'
import { createImplementation, type Kind } from './create.ts'

export interface Opened {
  readonly paneId: PaneId
  readonly pid: number
  readonly agentId: AgentId
}

export interface Bench {
  readonly kind: Kind
  /** Holds everything of this test: sockets, records, files of the programs. */
  readonly folder: string
  readonly multiplexer: Multiplexer
  /** Another adapter on the same panes, as a second daemon would have it; let go of at the end. */
  another(): Multiplexer
  open(options: Partial<OpenPane> & Pick<OpenPane, 'argv'>): Promise<Opened>
  /** Opens the fixture that records its input, and waits until it is ready. */
  openRecorder(mode?: 'plain' | 'slow'): Promise<Opened & { file: string; recorded: () => string }>
}

export const fixture = (name: string): string =>
  fileURLToPath(new URL(`../../fixtures/terminal/${name}`, import.meta.url))

/** A fresh implementation for every test, shut down after it. */
export function useBench(kind: Kind): Bench {
  let folder = ''
  let multiplexer: Multiplexer
  let others: Multiplexer[] = []

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'm-'))
    multiplexer = createImplementation(kind, folder)
    others = []
    await multiplexer.start()
  })
  afterEach(async () => {
    for (const other of others) await other.dispose()
    await multiplexer.shutdown()
    await multiplexer.dispose()
    rmSync(folder, { recursive: true, force: true })
  })

  const open: Bench['open'] = async (options) => {
    const agentId = options.agentId ?? newAgentId()
    return {
      agentId,
      ...(await multiplexer.open({
        agentId,
        name: 'agent',
        cwd: folder,
        env: {},
        columns: 100,
        rows: 30,
        ...options,
      })),
    }
  }

  return {
    kind,
    get folder() {
      return folder
    },
    get multiplexer() {
      return multiplexer
    },
    another: () => {
      const other = createImplementation(kind, folder)
      others.push(other)
      return other
    },
    open,
    openRecorder: async (mode) => {
      const agentId = newAgentId()
      const file = join(folder, `recorded-${agentId}`)
      const opened = await open({
        agentId,
        argv: [
          process.execPath,
          fixture('recorder.ts'),
          file,
          ...(mode === undefined ? [] : [mode]),
        ],
      })
      await waitFor('the recorder to be ready', async () =>
        (await multiplexer.capture(opened.paneId)).includes('recorder ready'),
      )
      return { ...opened, file, recorded: () => readFileSync(file, 'utf8') }
    },
  }
}
