import { mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import type { Page } from '@playwright/test'
import { openBrowser } from '../../bench/web/browser.ts'
import { demoPlace, keepDemo, type KeptDemo } from '../../test/helpers/demo.ts'

/**
 * Pictures of each view for docs/web.md, of the tree that `exomonad demo` leaves: light, dark and
 * on a phone, as `docs/images/page-<view>-<how>.png`. Argument: names of views, all without.
 */
const images = join(import.meta.dirname, '..', 'images')
/** Bytes of one picture, so that the package and the site stay small. */
const LARGEST = 150_000
/** Milliseconds, on a machine that does other things. */
const DEMO_LIMIT = 600_000

const LOOKS = {
  light: { width: 1280, height: 800, scheme: 'light' },
  dark: { width: 1280, height: 800, scheme: 'dark' },
  phone: { width: 390, height: 780, scheme: 'light' },
} as const

interface View {
  readonly name: string
  readonly path: string
}

async function viewsOf(demo: KeptDemo): Promise<View[]> {
  const tree = JSON.parse((await demo.exomonad('tree', '--json')).stdout) as {
    root: { children: { id: string; pr: { number: number } | null }[] }
  }
  const [agent] = tree.root.children
  const pull = tree.root.children.find(({ pr }) => pr !== null)?.pr?.number ?? 1
  return [
    { name: 'tree', path: '/' },
    { name: 'inbox', path: '/inbox' },
    { name: 'reviews', path: '/pulls' },
    { name: 'pull', path: `/pulls/${pull}` },
    { name: 'files', path: `/pulls/${pull}?tab=files` },
    { name: 'fold', path: '/fold' },
    { name: 'timeline', path: '/timeline' },
    { name: 'cost', path: '/cost' },
    { name: 'spawn', path: '/spawn' },
    ...(agent === undefined ? [] : [{ name: 'agent', path: `/agents/${agent.id}` }]),
  ]
}

async function take(page: Page, { name, path }: View): Promise<void> {
  await page.goto(new URL(path, page.url()).href)
  await page.locator('main').waitFor()
  for (const [how, { width, height, scheme }] of Object.entries(LOOKS)) {
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' })
    await page.setViewportSize({ width, height })
    await page.waitForLoadState('networkidle')
    await page.locator('main [aria-label^="Reading "]').waitFor({ state: 'detached' })
    const file = join(images, `page-${name}-${how}.png`)
    await page.screenshot({ path: file, animations: 'disabled', caret: 'hide' })
    const { size } = statSync(file)
    console.log(`${file} ${Math.round(size / 1000)} kB`)
    if (size > LARGEST) throw new Error(`${file} is larger than ${LARGEST} bytes`)
  }
}

const wanted = process.argv.slice(2)
const place = demoPlace()
const demo = keepDemo(place, DEMO_LIMIT)
const browser = await openBrowser()
try {
  const { code, stdout, stderr } = await demo.ended
  if (code !== 0) throw new Error(`the demo ended with ${code}: ${stdout}${stderr}`)
  const { url } = JSON.parse((await demo.exomonad('web', '--no-open', '--json')).stdout) as {
    url: string
  }
  const page = await browser.newPage()
  await page.goto(url)
  await page.getByRole('treeitem').first().waitFor()
  mkdirSync(images, { recursive: true })
  for (const view of await viewsOf(demo))
    if (wanted.length === 0 || wanted.includes(view.name)) await take(page, view)
} finally {
  await browser.close()
  await demo.down()
  place.remove()
}
// The helper's own processes are over; what they left open need not be waited for.
process.exit()
