import { AxeBuilder } from '@axe-core/playwright'
import { expect, test } from './fixtures.ts'

/** The main job of each view, as a person does it. */

test.describe('spawning', () => {
  test('says at its field what the daemon refuses, spawns the rest, and leads to it', async ({
    opened: page,
    tree,
  }) => {
    tree.script('first', { steps: [] })
    await tree.call('spawn_workers', { specs: [{ name: 'taken', prompt: 'Be there' }] })
    await page.keyboard.press('g')
    await page.keyboard.press('n')
    await page.getByLabel('Name', { exact: true }).fill('First of all')
    await expect(page.getByText('main.first-of-all')).toBeVisible()
    await expect(page.getByText(/^\d+ of 32 agents$/)).toBeVisible()
    await page.getByText('More', { exact: true }).click()
    await expect(page.getByLabel('Role', { exact: true })).toContainText('dev (')
    await page.getByRole('button', { name: 'Spawn 1 worker' }).click()
    await expect(page.getByLabel('Task', { exact: true })).toHaveAccessibleDescription(
      /Say all that it is to do/,
    )
    await page.getByLabel('Task', { exact: true }).fill('Do it')
    await page.getByRole('button', { name: 'Another worker' }).click()
    await page.keyboard.type('taken')
    await page.getByLabel('Task', { exact: true }).nth(1).fill('Do it again')

    // Nothing that was written is lost.
    await page.reload()
    await expect(page.getByLabel('Name', { exact: true }).nth(1)).toHaveValue('taken')

    await page.getByLabel('Name', { exact: true }).nth(1).press('Control+Enter')
    // Who was spawned leaves the form.
    await expect(page.getByLabel('Name', { exact: true })).toHaveCount(1)
    await expect(page.getByLabel('Name', { exact: true })).toHaveAccessibleDescription(
      /belongs to the agent taken/,
    )
    await expect(page.getByLabel('Name', { exact: true })).toBeFocused()
    expect((await tree.agent('first-of-all')).branch).toBe('main.first-of-all')
    await page.getByRole('link', { name: 'first-of-all' }).click()
    await expect(page).toHaveURL(/\/agents\//)
  })
})

test.describe('the timeline', () => {
  test('says what happened in a time, of what is asked for, and what happens now', async ({
    opened: page,
    tree,
  }) => {
    tree.script('noting', {
      steps: [{ do: 'tool', name: 'note', input: { message: 'Half <b>done' } }],
    })
    await tree.call('spawn_workers', { specs: [{ name: 'noting', prompt: 'Note it' }] })
    await page.goto(new URL('/timeline', page.url()).href)
    const events = page.getByRole('region', { name: 'Events, the newest first' })
    await expect(events.getByText('Half <b>done')).toBeVisible()
    await page.getByRole('button', { name: 'Merged' }).click()
    await expect(events.getByText('Half <b>done')).toHaveCount(0)
    await page.getByRole('button', { name: 'Merged' }).click()

    await tree.call('spawn_workers', { specs: [{ name: 'just-now', prompt: 'Appear' }] })
    await expect(events.getByRole('link', { name: 'just-now' }).first()).toBeVisible()
    await page.getByTitle('Only noting and those below it').click()
    await expect(events.getByRole('link', { name: 'just-now' })).toHaveCount(0)
    await expect(events.getByText('Half <b>done')).toBeVisible()
  })
})

test.describe('views', () => {
  for (const colorScheme of ['light', 'dark'] as const)
    test(`have no barrier that axe knows (${colorScheme})`, async ({ opened: page, tree }) => {
      await tree.call('spawn_workers', {
        specs: [{ name: `axe-${colorScheme}`, prompt: 'Be seen' }],
      })
      await page.emulateMedia({ colorScheme })
      for (const [path, name] of [
        ['/spawn', 'Spawn'],
        ['/timeline', 'Timeline'],
        ['/cost', 'Cost'],
        ['/fold', 'Fold'],
        ['/pulls', 'Reviews'],
      ] as const) {
        await page.goto(new URL(path, page.url()).href)
        await expect(page.getByRole('heading', { level: 1, name })).toBeVisible()
        await expect(page.getByRole('status', { name: /^Reading/ })).toHaveCount(0)
        const { violations } = await new AxeBuilder({ page }).analyze()
        expect(
          violations.map(({ id, nodes }) => `${id} ${nodes[0]?.html}`),
          path,
        ).toEqual([])
      }
    })

  test('of the fold say how it is turned on, and whose work would conflict', async ({
    opened: page,
    tree,
  }) => {
    for (const name of ['left', 'right']) {
      tree.script(name, {
        steps: [
          { do: 'write', path: 'both.txt', content: `${name}\n` },
          { do: 'commit', message: 'Write' },
        ],
      })
    }
    await tree.call('spawn_workers', {
      specs: ['left', 'right'].map((name) => ({ name, prompt: 'Write it' })),
    })
    await tree.logged('right', 'its commit', ({ kind }) => kind === 'commit')
    await tree.logged('left', 'its commit', ({ kind }) => kind === 'commit')
    await page.goto(new URL('/fold', page.url()).href)
    await expect(page.getByText('enabled = true')).toBeVisible()
    await page.getByRole('button', { name: 'left and right: they conflict' }).click()
    await expect(page.getByText('They conflict in 1 file.')).toBeVisible()
    await expect(page.getByText('+right')).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(page.getByText('They conflict in 1 file.')).toHaveCount(0)
  })
})
