import { expect, test } from './fixtures.ts'

/** What a person writes is there until it was sent, and is gone once it was. */

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
  const [{ number }] = (await tree.call('pr_list', {})).pull_requests
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
})
