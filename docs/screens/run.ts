import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import type { Browser, Page } from '@playwright/test'
import { openBrowser } from '../../bench/web/browser.ts'
import { demoPlace, keepDemo } from '../../test/helpers/demo.ts'
import { letIn, NOW, tellMidRun } from './mid-run.ts'
import { smallPng } from './small-png.ts'

/**
 * Pictures of each view for docs/web.md, light, dark and on a phone, as
 * `docs/images/page-<view>-<how>.png`: of twenty agents in the middle of their work, and of the
 * reviews that `exomonad demo` leaves. Argument: names of views, all without.
 */
const images = join(import.meta.dirname, '..', 'images')
/** Bytes of one picture, so that the package and the site stay small. */
const LARGEST = 80_000
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
  /** More than fits on a usual screen. */
  readonly height?: number
  /** It is as it should be seen. */
  readonly ready?: (page: Page) => Promise<unknown>
}

async function take(page: Page, { name, path, height: own, ready }: View): Promise<void> {
  await page.goto(new URL(path, page.url()).href)
  await page.locator('main').waitFor()
  for (const [how, { width, height, scheme }] of Object.entries(LOOKS)) {
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' })
    await page.setViewportSize({ width, height: own ?? height })
    await page.waitForLoadState('networkidle')
    await page.locator('main [aria-label^="Reading "]').waitFor({ state: 'detached' })
    await ready?.(page)
    const file = join(images, `page-${name}-${how}.png`)
    const picture = smallPng(await page.screenshot({ animations: 'disabled', caret: 'hide' }))
    if (picture.length > LARGEST) throw new Error(`${file} is larger than ${LARGEST} bytes`)
    writeFileSync(file, picture)
    console.log(`${file} ${Math.round(picture.length / 1000)} kB`)
  }
}

const wanted = process.argv.slice(2)
const isWanted = ({ name }: Pick<View, 'name'>): boolean =>
  wanted.length === 0 || wanted.includes(name)
const takeAll = async (page: Page, views: readonly View[]): Promise<void> => {
  for (const view of views.filter(isWanted)) await take(page, view)
}

/** People and agents of it wait for one another. */
async function takeMidRun(browser: Browser): Promise<void> {
  const story = await tellMidRun()
  try {
    const { url } = await story.tree.call<{ url: string }>('web')
    const context = await browser.newContext({ timezoneId: 'UTC', locale: 'en-GB' })
    const origin = await letIn(context, url)
    const page = await context.newPage()
    await page.clock.setFixedTime(NOW)
    await page.goto(origin)
    await page.getByRole('treeitem').first().waitFor()
    const { id } = await story.tree.agent('suggest')
    await takeAll(page, [
      { name: 'tree', path: '/' },
      { name: 'inbox', path: '/inbox' },
      { name: 'agent', path: `/agents/${id}`, ready: () => page.locator('.xterm').waitFor() },
      { name: 'fold', path: '/fold', height: 1200 },
      { name: 'timeline', path: '/timeline?range=hour' },
      { name: 'cost', path: '/cost' },
      { name: 'spawn', path: '/spawn' },
    ])
    await context.close()
  } finally {
    await story.end()
  }
}

/** What is in its pull requests is worth reading. */
async function takeDemo(browser: Browser): Promise<void> {
  const place = demoPlace()
  const demo = keepDemo(place, DEMO_LIMIT)
  try {
    const { code, stdout, stderr } = await demo.ended
    if (code !== 0) throw new Error(`the demo ended with ${code}: ${stdout}${stderr}`)
    const { url } = JSON.parse((await demo.exomonad('web', '--no-open', '--json')).stdout) as {
      url: string
    }
    const tree = JSON.parse((await demo.exomonad('tree', '--json')).stdout) as {
      root: { children: { pr: { number: number } | null }[] }
    }
    const pull = tree.root.children.find(({ pr }) => pr !== null)?.pr?.number ?? 1
    const page = await browser.newPage()
    await page.goto(url)
    await page.getByRole('treeitem').first().waitFor()
    await takeAll(page, [
      { name: 'reviews', path: '/pulls' },
      { name: 'pull', path: `/pulls/${pull}` },
      { name: 'files', path: `/pulls/${pull}?tab=files` },
    ])
  } finally {
    await demo.down()
    place.remove()
  }
}

const OF_DEMO = ['reviews', 'pull', 'files']
mkdirSync(images, { recursive: true })
const browser = await openBrowser()
try {
  if (wanted.length === 0 || wanted.some((name) => !OF_DEMO.includes(name)))
    await takeMidRun(browser)
  if (OF_DEMO.some((name) => isWanted({ name }))) await takeDemo(browser)
} finally {
  await browser.close()
}
// The helper's own processes are over; what they left open need not be waited for.
process.exit()
