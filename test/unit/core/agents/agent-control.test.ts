import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { openSqliteStore } from '../../../../src/adapters/store/sqlite/open.ts'
import type { Agent } from '../../../../src/domain/records.ts'
import { createAgentControl } from '../../../../src/core/agents/agent-control.ts'
import { createStates } from '../../../../src/core/agents/states.ts'
import { createPublisher } from '../../../../src/delivery/publisher.ts'
import { createRenderer } from '../../../../src/delivery/render/render.ts'
import { asPaneId, newDeliveryId } from '../../../../src/domain/ids.ts'
import { silentLog } from '../../../../src/runtime/log.ts'
import { makeAgent } from '../make-agent.ts'
import { settingsOf } from '../../../helpers/settings.ts'

const shippedFolder = fileURLToPath(new URL('../../../../templates', import.meta.url))

it('a program that is started again and reports that its turn is over, while it is written down that it runs, is idle', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'running-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const [log, clock] = [silentLog(), Date.now]
  const store = await openSqliteStore({ file: join(folder, 'store.db'), log })
  onTestFinished(() => store.close())
  const renderer = createRenderer({
    shippedFolder,
    overrideFolder: () => Promise.resolve(null),
    log,
  })
  const publisher = createPublisher({ store, renderer, clock, log, newDeliveryId })
  const states = createStates({ store, publisher, outbox: { wake: () => {} } as never, clock })
  const root = makeAgent({
    name: 'main',
    kind: 'root',
    parentId: null,
    state: 'idle',
    paneId: null,
    pid: null,
  })
  await store.agents.insert(root)

  const busy = Promise.withResolvers<void>()
  const running = createAgentControl({
    ...{
      store,
      publisher,
      states,
      log,
      launching: new Set(),
      say: async () => {},
      opened: () => {},
      remindOfMail: async () => {},
    },
    settings: settingsOf(),
    prompts: async () => 'Go on',
    launcher: {
      cliOfRole: () => 'x',
      requireProgram: async () => {},
      launch: async () => {
        await states.change(root.id, { to: 'running', source: 'hook', actor: root.id })
        // The store is busy with others: who asks it from now on waits in a queue.
        void store.transaction(() => busy.promise)
        return { paneId: asPaneId('%1'), pid: 77, session: null, plan: { warnings: [] } }
      },
    } as never,
    panes: { find: async () => undefined, close: async () => {} } as never,
    files: { writeChannel: async () => {}, remove: async () => {} } as never,
    ...{
      multiplexer: undefined as never,
      endPrograms: undefined as never,
      gate: undefined as never,
    },
  })
  const up = running.up('Work', undefined)
  await new Promise((resolve) => setTimeout(resolve, 50))
  const reported = states.change(root.id, { to: 'idle', source: 'hook', actor: root.id })
  busy.resolve()
  await Promise.all([up, reported])
  expect(((await store.agents.get(root.id)) as Agent).state).toBe('idle')
})
