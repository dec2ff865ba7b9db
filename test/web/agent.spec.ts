import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { expect } from './fixtures.ts'
import { SHELL, test } from './shells.ts'

/** With the screen as text beside what is drawn, as a screen reader has it. */
async function see(page: Page, agent: string): Promise<void> {
  await page.evaluate(() => localStorage.setItem('exomonad.screen-reader', 'on'))
  await page.getByRole('treeitem').filter({ hasText: agent }).getByRole('link').first().click()
  await expect(screenOf(page)).toContainText('ready')
}
const screenOf = (page: Page) => page.locator('.terminal-box .xterm-accessibility').first()
const typeHere = async (page: Page) => {
  await page.getByRole('button', { name: 'Type', exact: true }).click()
  await expect(page.getByText('You type here')).toBeVisible()
}

test('what is typed after a click reaches the agent’s terminal, and every page sees it and who types', async ({
  page,
  browser,
  shells,
  open,
}) => {
  await open(page, shells)
  await see(page, 'shell')
  await expect(page.getByText('Click to type')).toBeVisible()
  const other = await browser.newContext()
  const second = await other.newPage()
  await open(second, shells)
  await see(second, 'shell')
  await page.keyboard.type('echo not yet')
  await page.locator('.terminal-box').first().click()
  await expect(page.getByText('You type here')).toBeVisible()
  await page.keyboard.type('echo typed $((40+2))\n')
  await expect(screenOf(page)).toContainText('typed 42')
  await expect(screenOf(second)).toContainText('typed 42')
  await expect(second.getByText('Somebody types in another terminal')).toBeVisible()
  await expect(screenOf(second)).not.toContainText('not yet')
  // Out of it by keys alone, and the page has its own again.
  await page.keyboard.press('Control+Shift+Escape')
  await expect(page.getByText('You type here')).toBeHidden()
  await other.close()
})

test('what is marked in a terminal is copied, whether one looks or types', async ({
  page,
  context,
  shells,
  open,
}) => {
  await context.grantPermissions(['clipboard-read'])
  await open(page, shells)
  await see(page, 'shell')
  const copied = () => page.evaluate(() => navigator.clipboard.readText())
  const screen = page.locator('.terminal-box .xterm-screen').first()
  const mark = async () => {
    const box = await screen.boundingBox()
    if (box === null) throw new Error('no screen')
    await page.mouse.move(box.x + 1, box.y + 4)
    await page.mouse.down()
    await page.mouse.move(box.x + box.width / 2, box.y + 5, { steps: 5 })
    await page.mouse.up()
  }
  await mark()
  await page.keyboard.press('Control+KeyC')
  await expect.poll(copied).toContain('shell ready')
  await expect(page.getByText('Click to type')).toBeVisible()

  await typeHere(page)
  await page.keyboard.type('clear; echo marked $((40+2)); cat\n')
  await expect(screenOf(page)).toContainText('marked 42')
  await mark()
  await page.keyboard.press('Control+KeyC')
  await expect.poll(copied).toContain('marked 42')
  // It was no interrupt; without a mark it is one.
  await page.keyboard.type('still in cat\n')
  await expect(screenOf(page)).toContainText(/(still in cat[\s\S]*){2}/)
  await page.keyboard.press('Control+KeyC')
  await expect(screenOf(page)).toContainText('^C')
})

test('a program that asks for the mouse gets its wheel, and its last line is seen whole', async ({
  page,
  shells,
  open,
}) => {
  await open(page, shells)
  await see(page, 'shell')
  await typeHere(page)
  await page.keyboard.type("clear; printf '\\033[?1000h\\033[?1006h'; cat -v\n")
  await page.locator('.terminal-box .xterm-screen').first().hover()
  await expect(async () => {
    await page.mouse.wheel(0, -200)
    await expect(screenOf(page)).toContainText('^[[<64;', { timeout: 2000 })
  }).toPass()
  await expect(page.getByRole('region', { name: /was on the terminal before/ })).toHaveCount(0)
  await page.keyboard.press('Control+KeyC')
  await page.keyboard.type("printf '\\033[?1000l\\033[?1006l'; clear\n")
  for (const height of [700, 703, 706, 709, 712]) {
    await page.setViewportSize({ width: 1280, height })
    await expect
      .poll(() =>
        page.evaluate(() => {
          const [box, screen] = ['.terminal-box', '.terminal-box .xterm-screen'].map((selector) =>
            document.querySelector(selector)?.getBoundingClientRect(),
          )
          // It fills it to less than a line.
          const rest = (box?.bottom ?? 0) - (screen?.bottom ?? 0)
          return rest >= -0.5 && rest < 24
        }),
      )
      .toBe(true)
  }
})

test('whose program ends while somebody types gives the keys back to the page', async ({
  page,
  shells,
  open,
}) => {
  await shells.call('spawn_workers', { specs: [{ name: 'ends', prompt: 'End' }] })
  await open(page, shells)
  await see(page, 'ends')
  await typeHere(page)
  await page.keyboard.type('exit\n')
  await expect(page.getByText('Its program has ended')).toBeVisible()
  await expect(page.getByText('You type here')).toBeHidden()
  await page.keyboard.press('g')
  await page.keyboard.press('t')
  await expect(page.getByRole('tree')).toBeVisible()
})

test('what has scrolled away is searched, and the way back to what is live is a key', async ({
  page,
  shells,
  open,
}) => {
  await open(page, shells)
  await see(page, 'shell')
  await typeHere(page)
  // As it prints it, and not as it is typed.
  await page.keyboard.type('seq 1000 1400; echo done $((40+2))\n')
  await expect(screenOf(page)).toContainText('done 42')
  // It takes its time, and who begins to search meanwhile writes on.
  const asked = Promise.withResolvers<void>()
  await page.route('**/v1/tools/screen', async (route) => {
    await asked.promise
    await route.continue()
  })
  await page.getByRole('button', { name: 'History' }).click()
  const past = page.getByRole('region', { name: 'What was on the terminal before' })
  const field = past.getByRole('searchbox')
  await field.click()
  await page.keyboard.type('10')
  asked.resolve()
  await expect(past.getByRole('status')).toHaveText(/^\d+ of \d+$/)
  await page.keyboard.type('17')
  await expect(field).toHaveValue('1017')
  await expect(past.getByRole('status')).toHaveText('1 of 1')
  await field.press('Escape')
  await field.press('Escape')
  await expect(past).toBeHidden()
})

test('a page that may only look offers no typing, and the daemon takes none', async ({
  page,
  shells,
  open,
}) => {
  await open(page, shells, { readOnly: true })
  await see(page, 'shell')
  await expect(page.getByText('You may look')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Type', exact: true })).toBeHidden()
  await expect(
    page.getByRole('button', { name: /^(?:Message|Interrupt|Resume|Kill…)$/ }),
  ).toHaveCount(0)
  const answer = await page.evaluate(
    () =>
      new Promise((resolve) => {
        const url = `${location.origin.replace('http', 'ws')}/v1/agents/shell/terminal`
        const key = localStorage.getItem('exomonad.page') ?? ''
        const socket = new WebSocket(url, ['exomonad', key])
        socket.onopen = () => socket.send(JSON.stringify({ type: 'type', columns: 80, rows: 24 }))
        socket.onmessage = ({ data }) => {
          if (typeof data === 'string' && data.includes('error')) resolve(JSON.parse(data))
        }
      }),
  )
  expect(answer).toMatchObject({ code: 'NOT_ALLOWED' })
})

test('a link of a program is shown before it is opened, and only where it is one of the web', async ({
  page,
  shells,
  open,
}) => {
  await open(page, shells)
  await see(page, 'shell')
  await typeHere(page)
  await page.keyboard.type('clear; echo; echo https://example.org/a\n')
  await expect(screenOf(page)).toContainText('https://example.org/a')
  await page.keyboard.press('Control+Shift+KeyL')
  const rows = page.locator('.terminal-box .xterm-screen').first()
  const asked = page.getByRole('alertdialog', { name: 'Open a link' })
  await expect(async () => {
    const box = await rows.boundingBox()
    if (box === null) throw new Error('no screen')
    for (let y = 4; y < 80; y += 8) {
      await page.mouse.move(box.x + 40, box.y + y)
      await page.mouse.click(box.x + 42, box.y + y)
      if (await asked.isVisible()) break
    }
    await expect(asked).toContainText('https://example.org/a', { timeout: 1000 })
  }).toPass({ timeout: 60_000 })
  await asked.getByRole('button', { name: 'Don’t' }).click()
  await expect(asked).toBeHidden()
})

test('a flood neither stops the page nor what is typed', async ({ page, shells, open }) => {
  await open(page, shells)
  await see(page, 'shell')
  await typeHere(page)
  await page.keyboard.type('seq 1 700000; echo flood over $((40+2))\n')
  // The page answers meanwhile.
  await page.getByRole('tab', { name: 'Timeline' }).click()
  await expect(page.getByRole('tabpanel')).toContainText('spawned')
  await expect(screenOf(page)).toContainText('flood over 42', { timeout: 120_000 })
})

test('comes back by itself after the daemon was killed, to look', async ({ page, start, open }) => {
  const tree = await start({ multiplexer: 'tmux', roles: { dev: 'shell' }, config: SHELL })
  await tree.call('spawn_workers', { specs: [{ name: 'shell', prompt: 'Be a shell' }] })
  await open(page, tree)
  await see(page, 'shell')
  await typeHere(page)
  await tree.crash()
  await expect(page.getByText('Connection lost; trying again')).toBeVisible()
  await tree.call('tree')
  await expect(page.getByText('Click to type')).toBeVisible()
  await expect(screenOf(page)).toContainText('ready')
  // Killing says what ends, and what it left stays to be read.
  await page.getByRole('button', { name: 'Kill…' }).click()
  await expect(page.getByRole('dialog')).toContainText('Its program ends now')
  // The tree says so only once the dialog is closed, and the focus back on the button.
  const closed = Promise.withResolvers<void>()
  await page.route('**/v1/tree/changes?*', async (route) => {
    await closed.promise
    await route.continue()
  })
  await page.getByRole('button', { name: 'Kill it' }).click()
  await expect(page.getByRole('dialog')).toHaveCount(0)
  closed.resolve()
  await expect(page.getByText(/Ended:|Its program has ended/)).toBeVisible()
  await expect(page.locator('.agent-head')).toContainText('killed')
  await expect(page.getByRole('button', { name: 'Kill…' })).toHaveCount(0)
  await expect(page.locator('main')).toBeFocused()
})

test('what has no terminal is shown live', async ({ page, shells, open }) => {
  const over = join(shells.repository.folder, 'over')
  await shells.call('spawn_background_task', {
    command: `echo begun ready; until [ -e ${over} ]; do sleep 0.05; done; echo counted`,
  })
  await open(page, shells)
  await see(page, 'until')
  writeFileSync(over, '')
  await expect(screenOf(page)).toContainText('counted')
  await expect(page.getByText('Ended: it has ended (exit code 0)')).toBeVisible()
})

test('what it changed, committed or not, and what was sent to it stand beside its terminal', async ({
  page,
  shells,
  open,
}) => {
  const { worktree } = await shells.agent('shell')
  writeFileSync(join(worktree, 'made.txt'), 'made by hand\n')
  await shells.call('send', { to: 'shell', message: 'echo look at <b>this</b>' })
  await open(page, shells)
  await see(page, 'shell')
  await page.getByRole('tab', { name: 'Changes' }).click()
  const aside = page.getByRole('tabpanel')
  await expect(aside).toContainText('made.txt')
  await expect(aside).toContainText('made by hand')
  writeFileSync(join(worktree, 'made.txt'), 'made by hand, twice\n')
  await aside.getByRole('button', { name: 'Look again' }).click()
  await expect(aside).toContainText('twice')
  await page.getByRole('tab', { name: 'Mail' }).click()
  await expect(aside).toContainText('look at <b>this</b>')
  await page.reload()
  await expect(aside).toContainText('look at <b>this</b>')
})
