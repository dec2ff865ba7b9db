import { join } from 'node:path'
import type { Figure } from './figures.ts'
import { fillStore } from './thousand.ts'
import { benchTree } from './tree.ts'
import { openBrowser } from './web/browser.ts'
import { measureChanges, measureFrames } from './web/changes.ts'
import { firstViewWeight, measureFirstView } from './web/first-view.ts'
import { measureHour } from './web/hour.ts'
import { openPage, reporterOf } from './web/page.ts'
import { measureTerminals } from './web/terminals.ts'

const AGENTS = 1000
/** Those whose program runs. */
const ALIVE = 100

/**
 * The page in headless Chromium: how soon the first view is there, how soon a change is on the
 * screen, how busy the page is while many change, what an hour of that leaves, what it weighs; and
 * its terminals. About seven minutes.
 */
export async function measureWeb(): Promise<Figure[]> {
  const browser = await openBrowser()
  try {
    return [...(await measureTree(browser)), ...(await measureTerminals(browser))]
  } finally {
    await browser.close()
  }
}

async function measureTree(browser: Awaited<ReturnType<typeof openBrowser>>): Promise<Figure[]> {
  const tree = await benchTree()
  try {
    const specs = Array.from({ length: ALIVE }, (_, index) => ({
      name: `pane-${index}`,
      prompt: 'Nothing to do.',
      agent: 'idle',
    }))
    const { spawned } = await tree.client.call('spawn_workers', { specs })
    const agents = spawned.map(({ agent_id: id }) => reporterOf(tree, id))
    const figures = [firstViewWeight(), await measureFirstView(tree, browser, ALIVE)]

    await tree.exomonad.run(['daemon', 'stop'])
    await fillStore(join(tree.exomonad.state, 'store.db'), AGENTS)
    await tree.exomonad.run(['daemon', 'start'])
    const page = await openPage(tree, browser)
    figures.push(...(await measureChanges(page, agents, AGENTS)))
    figures.push(...(await measureFrames(browser, page, agents, AGENTS)))
    figures.push(await measureHour(page, agents))
    await page.context().close()
    return figures
  } finally {
    await tree.exomonad.stop()
  }
}
