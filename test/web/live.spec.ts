import process from 'node:process'
import { expect, test, type Exomonad, type Page } from './fixtures.ts'

const spawn = (daemon: Exomonad, name: string, prompt = `Do ${name}`) =>
  daemon.call('spawn_workers', { specs: [{ name, prompt }] })
const row = (page: Page, name: string) => page.getByRole('treeitem').filter({ hasText: name })

test('a spawn appears as it happens, in two browsers and in each tab', async ({
  opened: page,
  tree,
  context,
  browser,
  open,
}) => {
  // Once for the whole, beside the page's script and not after it.
  const asked = await page.evaluate(() =>
    performance
      .getEntriesByName(`${location.origin}/v1/tree/changes`)
      .map((entry) => (entry as PerformanceResourceTiming).initiatorType),
  )
  expect(asked).toEqual(['link'])
  // A browser lets a host have six connections: streams would take them all.
  const tabs = await Promise.all(Array.from({ length: 6 }, () => context.newPage()))
  for (const tab of tabs) await tab.goto(page.url())
  const other = await (await browser.newContext()).newPage()
  await open(other, tree)
  await spawn(tree, 'appears', 'Show up')
  for (const each of [page, other, ...tabs])
    await expect(row(each, 'appears')).toContainText('Show up')
  await tree.call('kill', { agent: 'appears' })
  for (const each of [page, other, ...tabs])
    await expect(row(each, 'appears')).not.toContainText(/running|idle/)
  await other.context().close()
})

test('the title says how many need the person', async ({ opened: page, tree }) => {
  const before = (await tree.tree()).inbox.items as number
  tree.script('asks', {
    steps: [{ do: 'tool', name: 'question', input: { message: 'Which colour?' } }],
  })
  await spawn(tree, 'asks')
  await expect(page).toHaveTitle(new RegExp(`^\\(${before + 1}\\) repo · exomonad$`))
  await expect(page.getByRole('region', { name: 'Needs you' })).toContainText('Which colour?')
  const icon = page.locator('link[rel="icon"]')
  await expect(icon).toHaveAttribute('href', '/icon-needs-you.svg')
  await row(page, 'asks').getByRole('link').first().click()
  await expect(page).toHaveTitle(`(${before + 1}) asks · repo · exomonad`)
  await page.getByRole('link', { name: 'Tree' }).click()
  await tree.call('answer_question', { agent: 'asks', message: 'Blue' })
  await expect(page).toHaveTitle(before === 0 ? 'repo · exomonad' : `(${before}) repo · exomonad`)
})

test('a view whose files another version of exomonad took away is loaded with the page', async ({
  opened: page,
}) => {
  // Until the page is loaded again, by which it knows of others.
  let isLoaded = false
  page.once('domcontentloaded', () => (isLoaded = true))
  await page.route('**/assets/cost-view-*.js', (route) =>
    isLoaded ? route.continue() : route.fulfill({ status: 404 }),
  )
  await page.getByRole('link', { name: 'Cost' }).click()
  await expect(page.getByRole('heading', { name: 'Cost', level: 1 })).toBeVisible()
  expect(isLoaded).toBe(true)
})

test('a daemon that hangs is noticed, and does once what was asked for twice', async ({
  opened: page,
  tree: daemon,
}) => {
  await spawn(daemon, 'reads')
  await row(page, 'reads').getByRole('link').first().click()
  const message = page.getByRole('button', { name: 'Message' })
  await message.click()
  await page.keyboard.type('Only once')
  // Away and back: the words stay, and the focus is where it was.
  await page.getByRole('button', { name: 'Cancel' }).click()
  await expect(message).toBeFocused()
  await message.click()
  await expect(page.locator('dialog textarea')).toHaveValue('Only once')

  const pid = await daemon.daemonPid()
  const send = page.getByRole('button', { name: 'Send', exact: true })
  process.kill(pid, 'SIGSTOP')
  try {
    await expect(page.getByText('The daemon doesn’t answer.')).toBeVisible()
    await expect(send).toBeDisabled()
  } finally {
    process.kill(pid, 'SIGCONT')
  }
  await expect(page.getByText('The daemon doesn’t answer.')).toHaveCount(0)

  let isLost = true
  await page.route('**/v1/tools/send', async (route) => {
    if (!isLost) return route.continue()
    isLost = false
    // It is done, and the answer gets lost.
    await route.fetch()
    await route.abort()
  })
  await send.click()
  await expect(page.getByRole('dialog').getByRole('alert')).toBeVisible()
  await send.dblclick()
  await expect(page.getByRole('dialog')).toHaveCount(0)
  const sent = (await daemon.events()).filter(
    ({ type, payload }) => type === 'message' && JSON.stringify(payload).includes('Only once'),
  )
  expect(sent).toHaveLength(1)
})

test.describe('a daemon that goes away', () => {
  test('is said, and what happened meanwhile is there when it is back', async ({
    page,
    context,
    start,
    open,
  }) => {
    const daemon = await start()
    await open(page, daemon)
    const second = await context.newPage()
    await second.goto(page.url())
    await expect(second.getByRole('treeitem')).toHaveCount(1)
    const third = await context.newPage()
    await third.goto(page.url())
    await expect(third.getByRole('treeitem')).toHaveCount(1)
    const address = page.url()

    await daemon.crash()
    // Where nobody has been, the page’s own files come from the daemon, too.
    await third.getByRole('link', { name: 'Cost' }).click()
    await expect(third.getByText('This view was not loaded yet')).toBeVisible()
    for (const each of [page, second]) {
      await expect(each.getByRole('status')).toContainText(['The daemon doesn’t answer.'])
      // What was shown stays.
      await expect(each.getByRole('treeitem')).toHaveCount(1)
    }
    // It starts the daemon, and happens before either page can be back.
    await spawn(daemon, 'meanwhile')
    for (const each of [page, second]) {
      await expect(row(each, 'meanwhile')).toBeVisible()
      await expect(each.getByText('The daemon doesn’t answer.')).toHaveCount(0)
    }
    await expect(third.getByRole('heading', { name: 'Cost', level: 1 })).toBeVisible()
    expect(page.url()).toBe(address)
    await spawn(daemon, 'afterwards')
    for (const each of [page, second]) await expect(row(each, 'afterwards')).toBeVisible()

    // Stopped by a person, and started again much later: the same.
    await daemon.run(['daemon', 'stop'])
    await expect(page.getByText('The daemon doesn’t answer.')).toBeVisible()
    await expect(row(page, 'afterwards')).toBeVisible()
    await spawn(daemon, 'later')
    for (const each of [page, second]) await expect(row(each, 'later')).toBeVisible()
    await page.reload()
    await expect(row(page, 'later')).toBeVisible()
  })

  test('lets nobody in by what a closed browser had', async ({ page, browser, start, open }) => {
    const daemon = await start()
    await open(page, daemon)
    const stolen = await page.context().cookies()
    expect(stolen).toMatchObject([{ httpOnly: true, sameSite: 'Strict' }])
    expect(await page.evaluate(() => document.cookie)).toBe('')
    await daemon.crash()
    await daemon.tree()
    const thief = await browser.newContext()
    await thief.addCookies(stolen)
    const there = await thief.newPage()
    await there.goto(page.url())
    await expect(there.getByRole('heading', { name: 'This browser is not let in' })).toBeVisible()
    await expect(page.getByText('The daemon doesn’t answer.')).toHaveCount(0)
    await spawn(daemon, 'goes-on')
    await expect(row(page, 'goes-on')).toBeVisible()
    await thief.close()
  })
})
