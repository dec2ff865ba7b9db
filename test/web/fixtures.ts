import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { test as base, type BrowserContext, type Page } from '@playwright/test'
import { startExomonad, type Exomonad, type ExomonadOptions } from '../helpers/daemon.ts'

export { expect } from '@playwright/test'
export type { BrowserContext, Exomonad, Page }

interface Worker {
  /** The daemon of this worker: who ends it, or needs it as it was at first, starts its own. */
  readonly tree: Exomonad
  /** Home of the browser, so that it leaves nothing in the user’s. */
  readonly home: string
}

interface Each {
  /** A daemon of the test’s own, ended with it. */
  readonly start: (options?: ExomonadOptions) => Promise<Exomonad>
  /** Lets a browser in by a link of this daemon, and shows the tree. */
  readonly open: (page: Page, daemon: Exomonad, options?: LinkOptions) => Promise<void>
  /** The page of `tree`, open. */
  readonly opened: Page
  /** What must not be there at the end of any test, as it is found; a test that provokes it clears it. */
  readonly faults: string[]
}

interface LinkOptions {
  readonly readOnly?: boolean
}

/** A link as `exomonad web` prints it. */
export const linkTo = async (daemon: Exomonad, { readOnly = false }: LinkOptions = {}) =>
  (await daemon.call<{ url: string }>('web', { read_only: readOnly })).url

export const test = base.extend<Each, Worker>({
  home: [
    // oxlint-disable-next-line no-empty-pattern
    async ({}, use) => {
      const home = mkdtempSync(join(tmpdir(), 'browser-'))
      await use(home)
      rmSync(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
    },
    { scope: 'worker' },
  ],
  launchOptions: [
    async ({ launchOptions, home }, use) => {
      // One that has to be killed leaves what it had in the temporary folder.
      const places = { HOME: home, XDG_CONFIG_HOME: home, XDG_CACHE_HOME: home, TMPDIR: home }
      const env = { ...process.env, ...places }
      await use({ ...launchOptions, env: env as Record<string, string> })
    },
    { scope: 'worker' },
  ],
  tree: [
    // oxlint-disable-next-line no-empty-pattern
    async ({}, use) => {
      const tree = await startExomonad()
      await use(tree)
      await tree.stop()
    },
    { scope: 'worker', timeout: 120_000 },
  ],
  // oxlint-disable-next-line no-empty-pattern
  start: async ({}, use) => {
    const started: Exomonad[] = []
    await use(async (options) => {
      const daemon = await startExomonad(options)
      started.push(daemon)
      return daemon
    })
    for (const daemon of started) await daemon.stop()
  },
  faults: [
    async ({ context }, use) => {
      const faults: string[] = []
      await watch(context, faults)
      await use(faults)
      if (faults.length > 0) throw new Error(`The page had faults:\n  ${faults.join('\n  ')}`)
    },
    { auto: true },
  ],
  // oxlint-disable-next-line no-empty-pattern
  open: async ({}, use) => {
    await use(async (page, daemon, options) => {
      await page.goto(await linkTo(daemon, options))
      await page.getByRole('treeitem').first().waitFor()
    })
  },
  opened: async ({ page, tree, open }, use) => {
    await open(page, tree)
    await use(page)
  },
})

/** Has everything written down that no page of ours may do, in whatever tab of this browser. */
export async function watch(context: BrowserContext, faults: string[]): Promise<void> {
  await context.exposeBinding('reportFault', (_source, fault: string) => faults.push(fault))
  await context.addInitScript(() => {
    const { reportFault } = globalThis as unknown as { reportFault: (fault: string) => void }
    Object.assign(globalThis, { ran: () => reportFault('a script of an agent ran') })
    document.addEventListener('securitypolicyviolation', (event) =>
      reportFault(`policy: ${event.violatedDirective} ${event.blockedURI} ${event.sample}`),
    )
  })
  const seen = (page: Page) => {
    page.on('pageerror', (error) => faults.push(`error: ${error.stack ?? error.message}`))
    page.on('dialog', (dialog) => {
      faults.push(`dialog: ${dialog.message()}`)
      void dialog.dismiss()
    })
  }
  context.pages().forEach(seen)
  context.on('page', seen)
}
