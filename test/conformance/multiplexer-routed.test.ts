import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createRouted } from '../../src/adapters/terminals/detached/routed.ts'
import type { DetachedHolder } from '../../src/adapters/terminals/headless.ts'
import { newAgentId } from '../../src/domain/ids.ts'
import { describeWith } from '../helpers/terminals/require-tool.ts'
import { waitFor } from '../helpers/wait-for.ts'
import { createImplementation } from './multiplexer/create.ts'

describeWith(['tmux'], 'terminals in tmux, and the rest in the detached host', () => {
  it('are one multiplexer: ids say whose a pane is', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'm-'))
    const detached = createImplementation('headless', folder) as DetachedHolder
    const routed = createRouted({ terminals: createImplementation('tmux', folder), detached })
    await routed.start()
    try {
      const deaths: string[] = []
      routed.onDeath(({ paneId }) => deaths.push(paneId))
      const common = { cwd: folder, env: {}, argv: ['/bin/cat'], columns: 80, rows: 24 }
      // Of a repository that ran without tmux before.
      const before = await detached.open({ ...common, agentId: newAgentId(), name: 'before' })
      const terminal = await routed.open({ ...common, agentId: newAgentId(), name: 'terminal' })
      const hosted = await routed.open({
        ...common,
        agentId: newAgentId(),
        name: 'hosted',
        program: { kind: 'process' },
      })
      expect((await routed.list()).map(({ paneId, name }) => [paneId, name])).toEqual([
        [terminal.paneId, 'terminal'],
        [before.paneId, 'before'],
        [hosted.paneId, 'hosted'],
      ])
      for (const { paneId } of [terminal, before, hosted]) {
        expect(await routed.paste(paneId, 'typed')).toEqual({ kind: 'typed' })
        await waitFor('the text', async () => (await routed.capture(paneId)).includes('typed'))
        expect(routed.attachCommand(paneId)).toBeDefined()
        await routed.close(paneId)
        expect(await routed.inspect(paneId)).toBeUndefined()
      }
      await waitFor('all deaths', () => deaths.length === 3)
      expect(deaths).toEqual([terminal.paneId, before.paneId, hosted.paneId])
    } finally {
      await routed.shutdown()
      await routed.dispose()
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
