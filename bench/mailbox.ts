import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSqliteStore } from '../src/adapters/store/sqlite/open.ts'
import { newAgentId } from '../src/domain/ids.ts'
import { silentLog } from '../src/runtime/log.ts'
import { median, sample, type Figure } from './figures.ts'
import { agentRow } from './rows.ts'

const ROUNDS = 1000

/**
 * From `send`, durable, to the receiver’s wake-up on its channel; against the event loop’s own
 * turn.
 */
export async function measureMailbox(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'mail-'))
  const store = await openSqliteStore({ file: join(folder, 'store.db'), log: silentLog() })
  try {
    const root = agentRow({ name: 'root', kind: 'root', parentId: null, depth: 0 })
    const child = agentRow({ name: 'child', kind: 'worker', parentId: root.id, depth: 1 })
    await store.agents.insert(root)
    await store.agents.insert(child)
    let wake: () => void = () => {}
    const stop = store.subscribe(child.id, () => wake())
    const figures = await sample(ROUNDS, async (index) => {
      const woken = new Promise<void>((resolve) => (wake = resolve))
      void store.mail.send({
        id: newAgentId(),
        from: root.id,
        to: child.id,
        message: `message ${index}`,
        sentAt: Date.now(),
      })
      await woken
    })
    stop()
    const floors = await sample(ROUNDS, () => new Promise<void>((resolve) => setImmediate(resolve)))
    return [
      {
        name: 'mailbox wake-up, p50',
        unit: 'ms',
        value: median(figures),
        floorName: 'setImmediate',
        floor: median(floors),
        target: null,
        samples: ROUNDS,
      },
    ]
  } finally {
    await store.close()
    rmSync(folder, { recursive: true, force: true })
  }
}
