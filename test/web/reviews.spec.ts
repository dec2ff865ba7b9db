import { AxeBuilder } from '@axe-core/playwright'
import { expect, test } from './fixtures.ts'

const BEFORE = `export const hours = (text: string) => Number(text)\n`
const FIRST = `export const hours = (text: string) => Number(text) * 60\nexport const days = 1\n`
const FIXED = `export const minutes = (text: string) => Number(text) * 60\nexport const days = 1\n`
const HOSTILE = '<script>alert(1)</script>'

test.describe('a review', () => {
  test('asks for changes on lines, sees them made, and merges', async ({ page, start, open }) => {
    test.slow()
    const tree = await start({ files: { 'src/time.ts': BEFORE } })
    const file = {
      do: 'tool',
      name: 'file_pr',
      input: { title: `Name the unit ${HOSTILE}`, body: 'Adds `days`.' },
    }
    tree.script('time', {
      steps: [
        { do: 'write', path: 'src/time.ts', content: FIRST },
        { do: 'write', path: `src/${HOSTILE.replaceAll('/', '')}.txt`, content: HOSTILE },
        { do: 'commit', message: 'Add days' },
        file,
      ],
      on: [
        {
          match: 'Say what it is',
          once: true,
          steps: [
            { do: 'write', path: 'src/time.ts', content: `// Time, as numbers.\n${FIRST}` },
            { do: 'commit', message: 'Say what it is' },
            file,
          ],
        },
        {
          match: 'Call it minutes',
          once: true,
          steps: [
            { do: 'write', path: 'src/time.ts', content: FIXED },
            { do: 'commit', message: 'It is minutes' },
            file,
          ],
        },
      ],
    })
    await open(page, tree)
    await tree.call('spawn_workers', { specs: [{ name: 'time', prompt: 'Name the unit' }] })
    await page.getByRole('link', { name: 'Reviews' }).click()
    // Whoever comes back to the list finds it as they left it.
    const all = page.getByRole('button', { name: /^All/ })
    await all.click()
    await page.getByRole('link', { name: /Name the unit <script>/ }).click()
    await expect(page.getByRole('link', { name: 'Files changed' })).toBeVisible()
    await page.goBack()
    await expect(all).toHaveAttribute('aria-pressed', 'true')
    await page.getByRole('link', { name: /Name the unit <script>/ }).click()
    await page.getByRole('link', { name: 'Files changed' }).click()
    const diff = page.getByRole('grid', { name: 'Diff' })
    await expect(diff).toContainText('Number(text) * 60')

    await test.step('a range of lines is commented by keyboard', async () => {
      await page
        .getByRole('navigation', { name: 'Changed files' })
        .getByRole('button', { name: /time\.ts/ })
        .click()
      await diff.focus()
      // Past its hunk and the old line to the two that came.
      for (const key of ['j', 'j', 'j', 'v', 'j', 'c']) await page.keyboard.press(key)
      await page.keyboard.type('Call it minutes.')
      await page.keyboard.press('Control+Enter')
      await expect(diff.getByRole('region', { name: 'Your comment on lines 1–2' })).toContainText(
        'Call it minutes.',
      )
    })

    await test.step('nobody is kept out, and a reload loses nothing', async () => {
      await page.reload()
      await expect(diff.getByText('Call it minutes.')).toBeVisible()
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        const { violations } = await new AxeBuilder({ page }).analyze()
        expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([])
      }
    })

    await test.step('a line that was deleted is commented', async () => {
      await diff.getByRole('button', { name: 'Comment on old line 1' }).click()
      await page.keyboard.type('It was hours before.')
      await page.keyboard.press('Control+Enter')
      await expect(diff.getByRole('region', { name: 'Your comment on old line 1' })).toContainText(
        'It was hours before.',
      )
    })

    await test.step('what is pushed meanwhile is looked at before anything is sent', async () => {
      await page.getByRole('button', { name: /^Review/ }).click()
      await page.getByRole('textbox', { name: 'Your review' }).fill('One thing only.')
      await page.getByRole('radio', { name: /Request changes/ }).check()
      await tree.call('send', { to: 'time', message: 'Say what it is' })
      await expect(page.getByText('New commits came')).toBeVisible()
      await expect(diff).not.toContainText('Time, as numbers.')
      const form = page.getByRole('form', { name: 'Your review' })
      await form.getByRole('button', { name: 'Send the review' }).click()
      await expect(form.getByRole('alert')).toContainText('Say what it is')
      expect((await tree.call('pr_show', { pr_number: 1 })).reviews).toEqual([])
      await form.getByRole('button', { name: 'Show the new version' }).click()
      await expect(diff).toContainText('Time, as numbers.')
      await expect(form.getByRole('alert')).toHaveCount(0)
      // With their lines, and as the person left them.
      await expect(diff.getByRole('region', { name: 'Your comment on lines 2–3' })).toContainText(
        'moved with its lines',
      )
      await expect(diff.getByRole('region', { name: 'Your comment on old line 1' })).toBeVisible()
      await expect(page.getByRole('textbox', { name: 'Your review' })).toHaveValue(
        'One thing only.',
      )
      await expect(page.getByRole('radio', { name: /Request changes/ })).toBeChecked()
    })

    await test.step('changes are asked for, and come', async () => {
      await page.getByRole('button', { name: 'Send the review' }).click()
      await expect(page.getByText('New commits came')).toBeVisible()
      await expect(diff).not.toContainText('const minutes')
      await page.getByRole('button', { name: /^Show [0-9a-f]{8}/ }).click()
      await expect(diff).toContainText('const minutes')
      await expect(
        diff.getByRole('region', { name: 'Conversation on src/time.ts:2-3' }),
      ).toContainText('of an older version')
      const [{ comments }] = (await tree.call('pr_show', { pr_number: 1 })).reviews
      expect(comments).toMatchObject([
        { start_line: 2, line: 3, side: 'right', body: 'Call it minutes.' },
        { start_line: null, line: 1, side: 'left', body: 'It was hours before.' },
      ])
    })

    await test.step('it is approved and merged', async () => {
      await page.getByRole('button', { name: /^Review/ }).click()
      await page.getByRole('radio', { name: /Approve/ }).check()
      await page.getByRole('button', { name: 'Send the review' }).click()
      await expect(page.getByText('You approved it.')).toBeVisible()
      await page.getByRole('link', { name: 'Overview' }).click()
      await page.getByRole('button', { name: 'Merge', exact: true }).click()
      await expect(page.getByText('Merged into')).toBeVisible()
      await expect(page.getByText('asks for changes')).toBeVisible()
      const { violations } = await new AxeBuilder({ page }).analyze()
      expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([])
      await page.getByRole('link', { name: 'Commits' }).click()
      await expect(page.getByText('It is minutes')).toBeVisible()
    })
  })
})
