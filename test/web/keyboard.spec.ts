import { expect, test, type Page } from './fixtures.ts'

const selected = (page: Page) => page.getByRole('treeitem', { selected: true })

test('all of the page is reached by keys', async ({ opened: page, tree }) => {
  for (const name of ['first', 'second'])
    await tree.call('spawn_workers', { specs: [{ name, prompt: `Do ${name}` }] })
  await expect(page.getByRole('treeitem', { name: /second/ })).toBeVisible()

  await test.step('Tab goes everywhere, and shows where it is', async () => {
    const seen = new Set<string>()
    for (let stop = 0; stop < 40; stop += 1) {
      await page.keyboard.press('Tab')
      const at = await page.evaluate(() => {
        const focused = document.activeElement
        if (focused === null || focused === document.body) return null
        const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(focused)
        const words = focused.getAttribute('aria-label') ?? focused.textContent
        return {
          name: `${focused.tagName} ${words}`,
          shows: (outlineStyle !== 'none' && outlineWidth !== '0px') || boxShadow !== 'none',
        }
      })
      if (at === null || seen.has(at.name)) break
      expect(at.shows, at.name).toBe(true)
      seen.add(at.name)
    }
    const all = [...seen].join('\n')
    for (const what of ['exomonad', 'Inbox', 'Spawn', 'Keys', 'Search agents', 'DIV Agents'])
      expect(all).toContain(what)
  })

  await test.step('the tree', async () => {
    await page.goto(new URL('/', page.url()).href)
    await expect(selected(page)).toHaveAttribute('aria-level', '1')
    await page.keyboard.press('j')
    await expect(selected(page)).toHaveAttribute('aria-level', '2')
    const down = await selected(page).getAttribute('id')
    await page.keyboard.press('ArrowUp')
    await expect(selected(page)).toHaveAttribute('aria-level', '1')
    await page.keyboard.press('ArrowLeft')
    await expect(page.getByRole('treeitem')).toHaveCount(1)
    await page.keyboard.press('ArrowRight')
    await expect(page.getByRole('treeitem', { name: /first/ })).toBeVisible()
    await page.keyboard.press('/')
    await page.keyboard.type('second')
    await expect(page.getByRole('treeitem', { name: /first/ })).toHaveCount(0)
    await page.keyboard.press('Escape')
    await expect(page.getByRole('treeitem', { name: /first/ })).toBeVisible()
    await page.keyboard.press('Home')
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL(
      new RegExp(`/agents/${encodeURIComponent(down?.slice('agent-'.length) ?? '')}$`),
    )
  })

  await test.step('g and a letter lead to each view, ? says so', async () => {
    const places = await page
      .getByRole('navigation', { name: 'Views' })
      .getByRole('link')
      .evaluateAll((links) =>
        links.map((link) => [
          link.getAttribute('aria-keyshortcuts') ?? '',
          link.getAttribute('href') ?? '',
        ]),
      )
    for (const [keys = '', to = ''] of places) {
      for (const key of keys.split(' ')) await page.keyboard.press(key)
      await expect(page).toHaveURL(new RegExp(`${to}$`))
    }
    // Whoever followed a link has gone where it leads: Enter is for what is there.
    await page.getByRole('link', { name: 'Cost' }).focus()
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL(/\/cost$/)
    await expect(page.locator('main')).toBeFocused()
    await page.goto(new URL('/', page.url()).href)
    await expect(selected(page)).toBeVisible()
    await page.keyboard.press('?')
    const dialog = page.getByRole('dialog', { name: 'Keys' })
    for (const [keys = ''] of places) await expect(dialog).toContainText(keys)
    // No command reaches what is behind it.
    await page.keyboard.press('g')
    await page.keyboard.press('i')
    await expect(dialog).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(dialog).toBeHidden()
    await expect(page).toHaveURL(/\/$/)
  })
})

test('a key that is pressed as soon as the tree is seen is heard', async ({
  opened: page,
  tree,
}) => {
  await tree.call('spawn_workers', { specs: [{ name: 'early', prompt: 'Be there' }] })
  await expect(page.getByRole('treeitem', { name: /early/ })).toBeVisible()
  await page.addInitScript(() => {
    const seen = new MutationObserver(() => {
      if (document.querySelector('[role=treeitem]') === null) return
      seen.disconnect()
      document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'j', bubbles: true }))
    })
    seen.observe(document, { childList: true, subtree: true })
  })
  await page.reload()
  await expect(selected(page)).toHaveAttribute('aria-level', '2')
})
