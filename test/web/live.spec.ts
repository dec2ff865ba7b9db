import process from 'node:process'
import { expect, linkTo, test, type Exomonad, type Page } from './fixtures.ts'

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
  let asked = 0
  await page.route('**/assets/cost-view-*.js', (route) =>
    (asked += 1) === 1 ? route.fulfill({ status: 404 }) : route.continue(),
  )
  await page.getByRole('link', { name: 'Cost' }).click()
  await expect(page.getByRole('heading', { name: 'Cost', level: 1 })).toBeVisible()
  expect(asked).toBe(2)
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

test.describe('access', () => {
  test('a browser without a link sees nothing of the tree, and how to get one', async ({
    page,
    tree,
  }) => {
    const { origin } = new URL(await linkTo(tree))
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    await page.goto(`${origin}/inbox`)
    await expect(page.getByRole('heading', { name: 'This browser is not let in' })).toBeVisible()
    await expect(page.getByText('exomonad web', { exact: true })).toBeVisible()
    await expect(page.getByRole('navigation')).toHaveCount(0)
    expect(asked.filter((path) => path.startsWith('/v1/'))).toEqual([])
  })

  test('a link that was used says so; its token is in no address and no history', async ({
    page,
    tree,
    browser,
    open,
  }) => {
    const link = await linkTo(tree)
    const [, token = ''] = link.split('token=')
    expect(token.length).toBeGreaterThan(20)
    await page.goto(link)
    await expect(page.getByRole('treeitem').first()).toBeVisible()
    expect(page.url()).not.toContain(token)
    expect(await page.evaluate(() => document.documentElement.outerHTML)).not.toContain(token)
    await page.goBack()
    expect(page.url()).not.toContain(token)

    const other = await (await browser.newContext()).newPage()
    await other.goto(link)
    await expect(
      other.getByRole('heading', { name: 'This link was used, or is too old' }),
    ).toBeVisible()
    await open(other, tree)
    await other.context().close()
  })

  test('the command prints a link that opens', async ({ page, tree }) => {
    const { json } = await tree.run(['web', '--no-open', '--json'])
    await page.goto(json.url)
    await expect(page.getByRole('treeitem').first()).toBeVisible()
    const { stdout } = await tree.run(['web', '--no-open', '--read-only'])
    await page.goto(/http:\S+/.exec(stdout)?.[0] ?? '')
    await expect(page.getByText('read only')).toBeVisible()
  })

  test('who logs out is out in each tab, and reads how to come back', async ({
    opened: page,
    context,
    tree,
    open,
  }) => {
    const other = await context.newPage()
    await other.goto(page.url())
    await expect(other.getByRole('treeitem').first()).toBeVisible()
    await page.getByRole('button', { name: 'Log out' }).click()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await expect(page.getByRole('dialog', { name: 'Log out' })).toBeHidden()
    await page.getByRole('button', { name: 'Log out' }).click()
    const dialog = page.getByRole('dialog', { name: 'Log out' })
    await dialog.getByRole('button', { name: 'Log out' }).click()
    await expect(page.getByRole('heading', { name: 'You are logged out' })).toBeVisible()
    await expect(other.getByRole('heading', { name: 'This browser is not let in' })).toBeVisible()
    for (const each of [page, other]) {
      await expect(each.getByText('exomonad web', { exact: true })).toBeVisible()
      await expect(each.getByRole('treeitem')).toHaveCount(0)
      await each.reload()
      await expect(each.getByRole('heading', { name: /logged out|not let in/ })).toBeVisible()
    }
    expect(await context.cookies()).toEqual([])
    await expect(other).toHaveTitle('This browser is not let in · exomonad')
    // A link is the browser's: whoever had the page open in another tab need not do anything.
    for (let links = 0; links < 2; links += 1) {
      await open(page, tree)
      await expect(other.getByRole('treeitem').first()).toBeVisible()
    }
  })

  test('a page that only reads offers nothing that writes', async ({ page, tree, open }) => {
    await open(page, tree, { readOnly: true })
    await expect(page.getByText('read only')).toBeVisible()
    await expect(page.getByRole('link', { name: 'Tree' })).toBeVisible()
    await expect(page.getByRole('link', { name: 'Spawn' })).toHaveCount(0)
    const status = await page.evaluate(() =>
      fetch('/v1/tools/note', {
        ...{ method: 'POST', body: '{"text":"x"}' },
        headers: { 'x-exomonad-page': localStorage.getItem('exomonad.page') ?? '' },
      }).then((response) => response.status),
    )
    expect(status).toBe(403)
  })
})

test('a browser that keeps nothing for a page, or has no room left, shows all of it', async ({
  tree,
  browser,
  open,
}) => {
  await spawn(tree, 'unkept')
  for (const what of ['nothing', 'no more'] as const) {
    const context = await browser.newContext()
    await context.addInitScript((what) => {
      const refuse = () => {
        throw new DOMException('as it is set', what === 'nothing' ? 'SecurityError' : 'Quota')
      }
      for (const name of ['localStorage', 'sessionStorage'])
        if (what === 'nothing') Object.defineProperty(globalThis, name, { get: refuse })
      if (what === 'no more') Storage.prototype.setItem = refuse
    }, what)
    const page = await context.newPage()
    const faults: string[] = []
    page.on('pageerror', ({ message }) => faults.push(message))
    await open(page, tree)
    await page.getByRole('button', { name: /^Colours: system/ }).click()
    await expect(page.getByRole('button', { name: /^Colours: light/ })).toBeVisible()
    await row(page, 'unkept').getByRole('link').first().click()
    await page.getByRole('button', { name: 'Screen reader' }).click()
    await page.getByRole('button', { name: 'Message' }).click()
    await page.keyboard.type('Kept')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Message' }).click()
    await expect(page.locator('dialog textarea')).toHaveValue('Kept')
    await page.keyboard.press('Escape')
    await page.getByRole('link', { name: 'Spawn' }).click()
    await expect(page.getByRole('textbox', { name: 'Task' })).toBeVisible()
    await page.getByRole('link', { name: 'Timeline' }).click()
    await expect(page.getByRole('button', { name: 'Last hour' })).toBeVisible()
    expect(faults).toEqual([])
    await context.close()
  }
})

test('a page of another origin gets nothing of it, though the browser has the cookie', async ({
  page,
  context,
  start,
  open,
}) => {
  // One in which nobody does anything.
  const tree = await start()
  await open(page, tree)
  const own = new URL(page.url()).origin
  // Another port of the same host is the same site: the browser sends the cookie there.
  const events = (await tree.events()).length
  const port = Number(new URL(own).port)
  const evil = await context.newPage()
  await evil.route(`http://127.0.0.1:${port + 1}/`, (route) =>
    route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>evil</title>' }),
  )
  await evil.goto(`http://127.0.0.1:${port + 1}/`)
  const tried = await evil.evaluate(async (own) => {
    const outcome = (work: Promise<Response>) =>
      work.then(
        (response) => `${response.type} ${response.status}`,
        () => 'failed',
      )
    const note = { method: 'POST', body: '{"text":"from evil"}', credentials: 'include' } as const
    const socket = await new Promise<string>((resolve) => {
      const opened = new WebSocket(`${own.replace('http', 'ws')}/v1/events?last=0`)
      opened.addEventListener('open', () => resolve('open'))
      opened.addEventListener('error', () => resolve('failed'))
    })
    const frame = document.createElement('iframe')
    frame.src = `${own}/`
    document.body.append(frame)
    await new Promise((resolve) => frame.addEventListener('load', resolve))
    const script = document.createElement('script')
    const loaded = await new Promise<string>((resolve) => {
      script.addEventListener('load', () => resolve('loaded'))
      script.addEventListener('error', () => resolve('failed'))
      script.src = `${own}/v1/tree`
      document.body.append(script)
    })
    return {
      read: await outcome(fetch(`${own}/v1/tree`, { credentials: 'include' })),
      blind: await outcome(fetch(`${own}/v1/tools/note`, { ...note, mode: 'no-cors' })),
      asJson: await outcome(
        fetch(`${own}/v1/tools/note`, {
          ...note,
          headers: { 'content-type': 'application/json' },
        }),
      ),
      socket,
      script: loaded,
      framed: (() => {
        try {
          return frame.contentDocument === null ? 'closed' : frame.contentDocument.body.textContent
        } catch {
          return 'closed'
        }
      })(),
    }
  }, own)
  expect(tried).toMatchObject({
    ...{ read: 'failed', asJson: 'failed', socket: 'failed', script: 'failed', framed: 'closed' },
  })
  expect(evil.frames().some((frame) => frame.url().startsWith(own))).toBe(false)
  expect((await tree.events()).length).toBe(events)
})
