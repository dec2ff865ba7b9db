import AxeBuilder from '@axe-core/playwright'
import { expect, test, type Page } from './fixtures.ts'
import { hostileWorld, SHOWN, type HostileWorld } from './hostile-world.ts'

/** Each view, in a tree where everything that somebody else wrote tries to be more than text. */
let world: HostileWorld
// oxlint-disable-next-line no-empty-pattern
test.beforeAll(async ({}, info) => {
  info.setTimeout(240_000)
  world = await hostileWorld()
})
test.afterAll(async () => {
  await world?.tree.stop()
})

/** Those of the navigation, an agent, and all parts of a pull request. */
async function viewsOf(page: Page): Promise<string[]> {
  const hrefs = async (label: RegExp): Promise<string[]> =>
    page
      .getByRole('navigation', { name: label })
      .getByRole('link')
      .evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''))
  const places = await hrefs(/^Views$/)
  expect(places.length).toBeGreaterThan(5)
  await visit(page, `/pulls/${world.pull}`)
  const parts = page.getByRole('navigation', { name: /^Parts of/ })
  await expect(parts).toBeVisible()
  return [
    ...places,
    `/agents/${encodeURIComponent(world.agent)}`,
    ...(await hrefs(/^Parts of/)),
    '/nothing-is-here',
  ]
}

/** Goes there as a link does, and waits until all has been read. */
async function visit(page: Page, path: string): Promise<void> {
  await page.evaluate((to) => {
    history.pushState(null, '', to)
  }, path)
  await expect(page.locator('main')).not.toBeEmpty()
  await expect(page.locator('main [aria-label^="Reading "]')).toHaveCount(0)
  await page.waitForLoadState('networkidle')
}

test('what agents and strangers wrote is text, and leads nowhere', async ({
  page,
  open,
  faults,
}) => {
  test.slow()
  await open(page, world.tree)
  for (const path of await viewsOf(page)) {
    await visit(page, path)
    const found = await page.evaluate(() => ({
      made: document.querySelectorAll(
        'img[src="x"], main script, svg[onload], [onerror], [onload], iframe, object, embed',
      ).length,
      links: [...document.querySelectorAll('a[href], area[href], form[action]')]
        .map((link) => link.getAttribute('href') ?? link.getAttribute('action') ?? '')
        .filter((to) => !/^(?:\/(?!\/)|#|\?|https?:\/\/)/.test(to)),
    }))
    expect.soft(found, path).toEqual({ made: 0, links: [] })
    expect.soft(faults, path).toEqual([])
  }
  for (const path of ['/', '/inbox', '/pulls', `/pulls/${world.pull}`]) {
    await visit(page, path)
    await expect.soft(page.locator('main'), path).toContainText(SHOWN)
  }
  // That a fault would be seen.
  await page.evaluate(() => {
    const image = new Image()
    image.src = 'http://evil.example/x.png'
    try {
      document.body.insertAdjacentHTML('beforeend', '<b>markup</b>')
    } catch {
      // Trusted Types.
    }
  })
  await expect.poll(() => faults.length).toBeGreaterThan(1)
  faults.length = 0
})

for (const scheme of ['light', 'dark'] as const)
  test(`axe finds nothing in ${scheme}`, async ({ page, open }) => {
    test.slow()
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' })
    await open(page, world.tree)
    for (const path of await viewsOf(page)) {
      await visit(page, path)
      const { violations } = await new AxeBuilder({ page })
        .withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'])
        .analyze()
      const found = violations.map(
        ({ id, nodes }) =>
          `${id}: ${nodes.map(({ target, failureSummary }) => `${String(target)} ${failureSummary ?? ''}`).join('; ')}`,
      )
      expect.soft(found, `${path} in ${scheme}`).toEqual([])
    }
  })

test('fits on a phone, and moves nothing where less motion is wanted', async ({ page, open }) => {
  test.slow()
  // The narrowest there is: a window of 1280 at 400 %.
  await page.setViewportSize({ width: 320, height: 740 })
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await open(page, world.tree)
  for (const path of await viewsOf(page)) {
    await visit(page, path)
    const found = await page.evaluate(() => ({
      width: document.documentElement.scrollWidth,
      main: document.querySelector('main')?.scrollWidth,
      // What can't be reached by a finger, and what lies over what stands beside it.
      hidden: [...document.querySelectorAll('nav a')]
        .filter((link) => link.getBoundingClientRect().height < 12)
        .concat(
          [...document.querySelectorAll('.nav a')].filter(
            (link) => link.getBoundingClientRect().right > innerWidth,
          ),
        )
        .map((link) => link.textContent),
      spilt: [...document.querySelectorAll('.panel')]
        .filter(
          (panel) =>
            (getComputedStyle(panel).overflowX === 'visible' &&
              panel.scrollWidth > panel.clientWidth + 1) ||
            (getComputedStyle(panel).overflowY === 'visible' &&
              panel.scrollHeight > panel.clientHeight + 1),
        )
        .map((panel) => panel.className),
      moving: document.getAnimations().filter(({ playState }) => playState === 'running').length,
    }))
    expect.soft(found, path).toEqual({
      ...{ width: 320, main: 320, moving: 0, hidden: [], spilt: [] },
    })
  }
})
