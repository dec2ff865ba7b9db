import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Browser } from '@playwright/test'
import { atMost, median, type Figure } from '../figures.ts'
import type { BenchTree } from '../tree.ts'
import { seenOf } from './browser.ts'
import { openPage } from './page.ts'

const LOADS = 10

export async function measureFirstView(
  tree: BenchTree,
  browser: Browser,
  agents: number,
): Promise<Figure> {
  const times: number[] = []
  const floors: number[] = []
  for (let load = 0; load < LOADS; load += 1) {
    const page = await openPage(tree, browser)
    times.push((await seenOf(page)).firstRow)
    floors.push(
      await page.evaluate<number>("performance.getEntriesByType('navigation')[0].responseEnd"),
    )
    await page.context().close()
  }
  return {
    name: `page: first view with ${agents} agents, nothing cached, p50`,
    unit: 'ms',
    value: median(times),
    floorName: 'its HTML is there',
    floor: median(floors),
    target: atMost(300, 'ms', median(times)),
    samples: LOADS,
  }
}

/** All that the first view loads. */
export function firstViewWeight(): Figure {
  const root = join(import.meta.dirname, '..', '..', 'dist', 'web')
  const html = readFileSync(join(root, 'index.html'), 'utf8')
  const files = [...html.matchAll(/(?:src|href)="\/(assets\/[^"]+)"/g)].map(([, file = '']) => file)
  const bytes = [html, ...files.map((file) => readFileSync(join(root, file)))].reduce(
    (sum, content) => sum + gzipSync(content).length,
    0,
  )
  return {
    name: 'page: weight of the first view, gzipped',
    unit: 'kB',
    value: bytes / 1000,
    floorName: 'its HTML',
    floor: gzipSync(html).length / 1000,
    target: atMost(250, 'kB', bytes / 1000),
    samples: 1,
  }
}
