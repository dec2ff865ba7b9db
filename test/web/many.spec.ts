import { join } from 'node:path'
import { agentRow } from '../../bench/rows.ts'
import { openSqliteStore } from '../../src/adapters/store/sqlite/open.ts'
import { newDeliveryId } from '../../src/domain/ids.ts'
import { silentLog } from '../../src/runtime/log.ts'
import { expect, test, type Page } from './fixtures.ts'

const AGENTS = 2000
const ITEMS = 10_000
/** Rows that are drawn of a list, whatever its length. */
const DRAWN = 100

/** As a tree would stand there after months: no program runs, and nobody looked at what failed. */
async function fill(file: string): Promise<void> {
  const store = await openSqliteStore({ file, log: silentLog() })
  try {
    const root = (await store.agents.list()).find(({ kind }) => kind === 'root')
    if (root === undefined) throw new Error('no root in the store')
    await store.transaction(async (tx) => {
      const failed = Array.from({ length: AGENTS }, (_, index) =>
        agentRow({
          ...{ name: `failed-${index}`, kind: 'worker', parentId: root.id, depth: 1 },
          ...{ state: 'failed', stateReason: 'out of memory', exitCode: 137 },
        }),
      )
      for (const agent of failed) await tx.agents.insert(agent)
      for (let index = failed.length; index < ITEMS; index += 1) {
        const id = newDeliveryId()
        const { id: recipient } = failed[index % AGENTS] ?? root
        const text = `message ${index}`
        await tx.outbox.enqueue({
          ...{ id, recipient, text, eventSeq: null, kind: 'message', createdAt: index + 1 },
        })
        await tx.outbox.settle([id], 'undecided', null, index + 1)
      }
    })
  } finally {
    await store.close()
  }
}

const selected = (page: Page) => page.getByRole('treeitem', { selected: true })

test('of 2,000 agents and 10,000 items only what is seen is drawn, and the last is a key away', async ({
  page,
  start,
  open,
}) => {
  test.slow()
  const daemon = await start()
  await daemon.run(['daemon', 'stop'])
  await fill(join(daemon.state, 'store.db'))
  // Of so many it takes its time.
  const inbox = Promise.withResolvers<void>()
  await page.route('**/v1/tools/inbox', async (route) => {
    await inbox.promise
    await route.continue()
  })
  await open(page, daemon)
  const drawn = async (role: 'treeitem' | 'option') => {
    const count = await page.getByRole(role).count()
    expect(count).toBeGreaterThan(5)
    expect(count).toBeLessThan(DRAWN)
  }

  await test.step('the tree', async () => {
    await expect(page.getByText(/^2,?00\d agents$/)).toBeVisible()
    await drawn('treeitem')
    await page.keyboard.press('End')
    await expect(selected(page)).toBeInViewport({ ratio: 0.9 })
    // What comes on top of the tree hides nothing that was seen.
    inbox.resolve()
    await expect(page.getByRole('region', { name: 'Needs you' }).getByRole('listitem')).toHaveCount(
      4,
    )
    await expect(selected(page)).toBeInViewport({ ratio: 0.9 })
    await drawn('treeitem')
    // Whoever looks at one and comes back finds the tree as they left it.
    const name = await selected(page).getByRole('link').first().innerText()
    await page.keyboard.press('Enter')
    await expect(page.getByRole('heading', { name, level: 1 })).toBeVisible()
    await page.goBack()
    await expect(selected(page)).toContainText(name)
    await expect(selected(page)).toBeInViewport({ ratio: 0.9 })
    const search = page.getByRole('searchbox')
    await search.fill('failed-77')
    await expect(page.getByText(/^1\d agents$/)).toBeVisible()
    await page.getByRole('treeitem', { name: 'failed-777' }).getByRole('link').first().click()
    await page.getByRole('link', { name: 'Tree' }).click()
    await expect(search).toHaveValue('failed-77')
    await expect(selected(page)).toContainText('failed-777')
    await search.press('Escape')
    await page.keyboard.press('Home')
    await expect(selected(page)).toHaveAttribute('aria-level', '1')
  })

  await test.step('the inbox', async () => {
    await page.keyboard.press('g')
    await page.keyboard.press('i')
    const all = page.getByRole('button', { name: /^All/ })
    await expect(all).toHaveText(/10,?000$/)
    const options = page.getByRole('option')
    await expect(options.first()).toContainText('message 2000')
    await drawn('option')
    // What is further down is read as somebody goes there.
    const read = async () => Number(await options.first().getAttribute('aria-setsize'))
    for (let pages = 1; pages <= 3; pages += 1) {
      const before = await read()
      await page.keyboard.press('End')
      await expect.poll(read).toBeGreaterThan(before)
      await drawn('option')
    }
    await page.getByRole('button', { name: /^Failed/ }).click()
    await expect(options.first()).toContainText('failed-0')
    await drawn('option')
  })

  await test.step('it lives on: what comes in is shown, and what is settled goes', async () => {
    daemon.script('asks', {
      steps: [{ do: 'tool', name: 'question', input: { message: 'Which colour?', timeout: 0 } }],
    })
    await daemon.call('spawn_workers', { specs: [{ name: 'asks', prompt: 'Ask' }] })
    await page.getByRole('button', { name: /^Questions?/ }).click()
    await expect(page.getByRole('option', { name: /Which colour\?/ })).toBeVisible()
    await page.getByRole('textbox', { name: /answer/i }).fill('Blue')
    await page.keyboard.press('Control+Enter')
    await expect(page.getByRole('option')).toHaveCount(0)
  })
})
