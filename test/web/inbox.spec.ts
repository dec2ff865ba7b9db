import { AxeBuilder } from '@axe-core/playwright'
import { expect, test } from './fixtures.ts'

const ASK = (message: string) => ({
  steps: [{ do: 'tool', name: 'question', input: { message, timeout: 900 }, as: 'asked' }],
})

test.describe('the inbox', () => {
  test('is answered, decided and kept in step by keyboard alone', async ({ page, start, open }) => {
    test.slow()
    const tree = await start({ config: '[limits]\napproval_depth = 2\n' })
    tree.script('colour', ASK('Which <img src=x onerror=alert(1)> colour?'))
    tree.script('shape', ASK('Which shape?'))
    tree.script('inner', {})
    tree.script('lead', {
      steps: [
        {
          do: 'tool',
          name: 'spawn_workers',
          input: { specs: [{ name: 'inner', prompt: 'Go deeper' }] },
        },
      ],
    })
    await open(page, tree)
    await page.keyboard.press('g')
    await page.keyboard.press('i')
    await expect(page.getByText('Nothing needs you')).toBeVisible()

    await tree.call('spawn_workers', { specs: [{ name: 'colour', prompt: 'Paint' }] })
    const item = (name: RegExp) => page.getByRole('option', { name })
    await expect(item(/Which <img src=x onerror=alert\(1\)> colour\?/)).toBeVisible()
    await expect(page).toHaveTitle(/^\(1\)/)
    await tree.call('spawn_workers', { specs: [{ name: 'shape', prompt: 'Draw' }] })
    await expect(item(/shape/)).toBeVisible()
    await tree.call('spawn_subtree', { branch_name: 'lead', task: 'Lead' })
    await expect(item(/spawn main\.lead\.inner/)).toBeVisible()

    await test.step('nobody is kept out', async () => {
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        const { violations } = await new AxeBuilder({ page }).analyze()
        expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([])
      }
    })

    await test.step('the way back of the browser leads to the list', async () => {
      await item(/shape/).click()
      await expect(page).toHaveURL(/\/inbox\?item=/)
      await page.goBack()
      await expect(page).toHaveURL(/\/inbox$/)
    })

    await test.step('a question is answered', async () => {
      await page.keyboard.press('Home')
      await page.keyboard.press('Enter')
      await page.keyboard.type('Blue, and nothing else.')
      await page.keyboard.press('Control+Enter')
      await expect(item(/colour\?/)).toHaveCount(0)
      const answer = await tree.logged('colour', 'its answer', ({ kind }) => kind === 'tool')
      expect(JSON.stringify(answer)).toContain('Blue, and nothing else.')
    })

    await test.step('what is settled elsewhere goes, and what was written stays', async () => {
      await expect(page.getByRole('heading', { name: 'shape asks' })).toBeVisible()
      await page.keyboard.press('Enter')
      await page.keyboard.type('A circle')
      await tree.call('answer_question', { agent: 'shape', message: 'A square' })
      await expect(page.getByText('This was settled meanwhile.')).toBeVisible()
      await expect(page.getByText('answered: A square')).toBeVisible()
      await expect(page.getByLabel('What you had written')).toHaveValue('A circle')
      await page.getByRole('button', { name: 'Copy' }).click()
      await expect(page.getByText(/^Copied\.$|copy it by hand\.$/)).toBeVisible()
      await page.getByRole('button', { name: 'Discard' }).click()
    })

    await test.step('an approval is given', async () => {
      await expect(page.getByRole('heading', { name: 'lead asks for approval' })).toBeVisible()
      await page.getByRole('listbox').focus()
      // Not before one could have seen that it is another item.
      await expect(async () => {
        await page.keyboard.press('a')
        await expect(page.getByText('Nothing needs you')).toBeVisible({ timeout: 2000 })
      }).toPass()
      await expect.poll(() => tree.agent('inner'), { timeout: 60_000 }).toBeDefined()
      await expect(page).not.toHaveTitle(/^\(/)
    })
  })

  test('marks as read what it showed, and nothing that came since', async ({
    page,
    start,
    open,
  }) => {
    const tree = await start()
    // Its note, and that it rests without having done anything.
    const tell = async (name: string) => {
      tree.script(name, { steps: [{ do: 'tool', name: 'note', input: { message: 'Done' } }] })
      await tree.call('spawn_workers', { specs: [{ name, prompt: 'x' }] })
      await expect
        .poll(async () => (await tree.call('inbox', {})).news)
        .toContainEqual(expect.objectContaining({ agent: name, count: 2 }))
    }
    const line = (name: string) => page.getByRole('button', { name: `${name} 2 messages` })
    await open(page, tree)
    await tell('early')
    await page.keyboard.press('g')
    await page.keyboard.press('i')
    await page.getByRole('button', { name: /^News/ }).click()
    await expect(line('early')).toBeVisible()
    await page.route('**/v1/tools/inbox', async (route) => {
      const { clear } = route.request().postDataJSON() as { clear?: boolean }
      if (clear === true) await tell('late')
      await route.continue()
    })
    await page.getByRole('button', { name: 'Mark all as read' }).click()
    await expect(page.getByText('All news is read.')).toBeAttached()
    await expect(line('late')).toBeVisible()
    await expect(line('early')).toHaveCount(0)
  })
})
