import { expect, linkTo, test } from './fixtures.ts'

/** Who is let in, and what a browser has to be able to. */

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

test('a browser that keeps nothing for a page, or has no room left, shows all of it', async ({
  tree,
  browser,
  open,
}) => {
  await tree.call('spawn_workers', { specs: [{ name: 'unkept', prompt: 'Keep' }] })
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
    const row = page.getByRole('treeitem').filter({ hasText: 'unkept' })
    await row.getByRole('link').first().click()
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
