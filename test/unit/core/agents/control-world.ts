import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { openSqliteStore } from '../../../../src/adapters/store/sqlite/open.ts'
import { createStates } from '../../../../src/core/agents/states.ts'
import { createPublisher } from '../../../../src/delivery/publisher.ts'
import { createRenderer } from '../../../../src/delivery/render/render.ts'
import { newDeliveryId } from '../../../../src/domain/ids.ts'
import { silentLog } from '../../../../src/runtime/log.ts'

const shippedFolder = fileURLToPath(new URL('../../../../templates', import.meta.url))

/** A real store with the states of its agents, which end with the test. */
export async function controlWorld() {
  const folder = await mkdtemp(join(tmpdir(), 'control-'))
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
  const outbox = { wake: () => {} } as never
  const states = createStates({ store, publisher, outbox, clock })
  return { store, publisher, states, outbox, clock, log }
}
