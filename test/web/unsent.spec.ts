import { expect, test, type Page } from './fixtures.ts'

/** What a person writes is there until it was sent, and is gone once it was. */

/** Holds what the page asks of a tool until that is let go; then waits for the answer. */
async function hold(page: Page, tool: string): Promise<() => Promise<void>> {
  const path = `**/v1/tools/${tool}`
  const held = Promise.withResolvers<void>()
  await page.route(path, async (route) => {
    await held.promise
    await route.continue()
  })
  const answered = page.waitForResponse(path)
  return async () => {
    held.resolve()
    await answered
    await page.unroute(path)
  }
}

test('a message that was sent is no draft, though its form was closed before', async ({
  opened: page,
  tree,
}) => {
  await tree.call('spawn_workers', { specs: [{ name: 'reads', prompt: 'x' }] })
  await page.getByRole('treeitem', { name: /reads/ }).getByRole('link').first().click()
  const message = page.getByRole('button', { name: 'Message' })
  const words = page.locator('dialog textarea')
  await message.click()
  await words.fill('Only once')
  const letGo = await hold(page, 'send')
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await message.click()
  await expect(words).toHaveValue('Only once')
  await letGo()
  await expect(words).toHaveValue('')
})

test('replies and a review stay while others write, and go once they were sent', async ({
  opened: page,
  tree,
}) => {
  tree.script('writes', {
    steps: [
      { do: 'write', path: 'written.txt', content: 'one\n' },
      { do: 'commit', message: 'Write' },
      { do: 'tool', name: 'file_pr', input: { title: 'Written', body: 'x' } },
    ],
  })
  await tree.call('spawn_workers', { specs: [{ name: 'writes', prompt: 'x' }] })
  await page.getByRole('link', { name: 'Reviews' }).click()
  await page.getByRole('link', { name: /Written/ }).click()
  const { pull_requests: pulls } = await tree.call('pr_list', {})
  const { number } = pulls.find(({ title }: { title: string }) => title === 'Written')
  const comment = { path: 'written.txt', line: 1, body: 'Which one?' }
  await tree.call('pr_review', { pr_number: number, verdict: 'comment', comments: [comment] })
  const reply = page.getByRole('textbox', { name: 'Reply' })

  await test.step('a reply that is being written stays when the conversation goes on', async () => {
    await reply.fill('The first, bec')
    const [{ comments }] = (await tree.call('pr_show', { pr_number: number })).reviews
    const more = { comment_id: comments[0].id, body: 'Or none?' }
    await tree.call('pr_review', { pr_number: number, replies: [more] })
    await expect(page.getByText('Or none?')).toBeVisible()
    await expect(reply).toHaveValue('The first, bec')
  })

  await test.step('a reply that was sent is no draft, though one looked at something else', async () => {
    const letGo = await hold(page, 'pr_review')
    await page.getByRole('button', { name: 'Reply', exact: true }).click()
    await page.getByRole('link', { name: 'Commits' }).click()
    await letGo()
    await page.getByRole('link', { name: 'Overview' }).click()
    await expect(page.getByText('The first, bec', { exact: true }).first()).toBeVisible()
    await expect(reply).toHaveValue('')
  })

  await test.step('nor is a review, and what was written meanwhile stays', async () => {
    await page.getByRole('link', { name: 'Files changed' }).click()
    const form = page.getByRole('button', { name: /^Review/ })
    const words = page.getByRole('textbox', { name: 'Your review' })
    await form.click()
    await words.fill('Good so far.')
    const letGo = await hold(page, 'pr_review')
    await page.getByRole('button', { name: 'Send the review' }).click()
    await page.getByRole('button', { name: 'Later' }).click()
    const diff = page.getByRole('grid', { name: 'Diff' })
    await diff.getByRole('button', { name: 'Comment on line 1' }).click()
    await page.keyboard.type('One more thing.')
    await page.keyboard.press('Control+Enter')
    await letGo()
    await form.click()
    await expect(words).toHaveValue('')
    await expect(diff.getByRole('region', { name: 'Your comment on line 1' })).toContainText(
      'One more thing.',
    )
  })
})
