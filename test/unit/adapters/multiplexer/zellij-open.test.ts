import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { Commands } from '../../../../src/adapters/terminals/zellij/commands.ts'
import { openPane } from '../../../../src/adapters/terminals/zellij/open.ts'
import type { Listed } from '../../../../src/adapters/terminals/zellij/panes.ts'
import { createRecords } from '../../../../src/adapters/terminals/zellij/records.ts'
import { traitsOf } from '../../../../src/adapters/terminals/zellij/version.ts'
import { asPaneId, newAgentId } from '../../../../src/ids.ts'

it('gives a tab its size also where a busy Zellij lists the pane late', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'open-'))
  try {
    const records = createRecords(folder)
    const paneId = asPaneId('terminal_1')
    let looks = 0
    const list = async (): Promise<Listed[]> => {
      looks += 1
      const [key = ''] = await records.keys()
      const record = await records.read(key)
      if (looks <= 3 || record === undefined) return []
      return [{ paneId, tabId: 1, tabName: 'x', title: '', columns: 120, rows: 30, exited: false, exitStatus: null, record }]
    }
    const opened = await openPane(
      { agentId: newAgentId(), name: 'x', cwd: folder, env: {}, argv: ['/bin/cat'], columns: 80, rows: 24 },
      {
        commands: { session: 's', action: async () => await Promise.resolve({ kind: 'done', stdout: '' }) } as unknown as Commands,
        records,
        list,
        alone: async (work) => await work(),
        keeper: {
          fit: async () => undefined,
          // Its program waits for the size.
          visit: async () => writeFileSync(`${records.pathOf((await records.keys())[0] ?? '')}.pid`, '4711\n'),
        },
        traits: traitsOf('0.45.1'),
        timeout: 2000,
      },
    )
    expect(opened).toEqual({ paneId, pid: 4711 })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
