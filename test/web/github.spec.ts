import { AxeBuilder } from '@axe-core/playwright'
import { startGithubTree, type GithubTree } from '../helpers/github/github-tree.ts'
import { expect, test as base } from './fixtures.ts'

/** A tree on a GitHub of our own, ended with the test. */
const test = base.extend<{ world: GithubTree }>({
  // oxlint-disable-next-line no-empty-pattern
  world: async ({}, use) => {
    const world = await startGithubTree({ files: { 'README.md': '# Widgets\nOld words.\n' } })
    await use(world)
    await world.stop()
  },
})

test('a pull request on GitHub is looked at, reviewed and merged from the page', async ({
  page,
  world,
  open,
}) => {
  test.slow()
  const { tree, github } = world
  github.addUser('ann', 'write')
  tree.script('docs', {
    steps: [
      { do: 'write', path: 'README.md', content: '# Widgets\nNew words.\nMore.\n' },
      { do: 'commit', message: 'Say it anew' },
      { do: 'tool', name: 'file_pr', input: { title: 'New words', body: 'As asked.' } },
    ],
  })
  await open(page, tree)
  await tree.call('spawn_workers', { specs: [{ name: 'docs', prompt: 'Say it anew' }] })
  await page.getByRole('link', { name: 'Reviews' }).click()
  await page.getByRole('link', { name: /New words/ }).click()
  const pull = () => github.pull(1)

  await test.step('what GitHub says comes to the page: checks, reviews, the merge state', async () => {
    await expect(page.getByRole('link', { name: 'On the forge' })).toHaveAttribute(
      'href',
      /\/pull\/1$/,
    )
    await expect(page.getByText('Nothing stands against it.')).toBeVisible()
    github.setCheck(pull().headSha, {
      name: 'test',
      workflow: 'CI',
      conclusion: 'failure',
      log: 'TypeError: two is not a function\n',
    })
    await github.as('ann').review(1, {
      state: 'CHANGES_REQUESTED',
      body: 'Not so fast.',
      comments: [{ path: 'README.md', line: 2, body: 'Which words?' }],
    })
    const merge = page.getByRole('region', { name: 'Merge' })
    await expect(merge).toContainText('Its checks failed.')
    await expect(merge).toContainText('Changes were asked for.')
    await expect(page.getByRole('region', { name: 'Reviews' })).toContainText('Not so fast.')
    await page.getByRole('link', { name: 'Checks' }).click()
    await expect(page.getByRole('region', { name: /^Log of/ })).toContainText(
      'TypeError: two is not a function',
    )
    const { violations } = await new AxeBuilder({ page }).analyze()
    expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([])
  })

  await test.step('a review reaches GitHub as one of the token’s account, marked', async () => {
    await page.getByRole('link', { name: 'Files changed' }).click()
    const diff = page.getByRole('grid', { name: 'Diff' })
    await expect(
      diff.getByRole('region', { name: 'Conversation on README.md:2', exact: true }),
    ).toContainText('Which words?')
    for (const [line, words] of [
      ['line 3', 'More of what?'],
      ['old line 2', 'These were good.'],
    ] as const) {
      await diff.getByRole('button', { name: `Comment on ${line}`, exact: true }).click()
      await page.keyboard.type(words)
      await page.keyboard.press('Control+Enter')
      await expect(
        diff.getByRole('region', { name: `Your comment on ${line}`, exact: true }),
      ).toContainText(words)
    }
    await page.getByRole('button', { name: /^Review/ }).click()
    await page.getByRole('textbox', { name: 'Your review' }).fill('Nearly.')
    await page.getByRole('radio', { name: /Request changes/ }).check()
    await page.getByRole('button', { name: 'Send the review' }).click()
    await expect(page.getByText('You asked for changes')).toBeVisible()
    const made = github.state.reviews.filter(({ author }) => author === 'robot')
    expect(made).toMatchObject([{ state: 'COMMENTED', commitId: pull().headSha }])
    expect(made[0]?.body).toMatch(/^\*\*human\*\* requests changes through exomonad:\n\nNearly\./)
    const said = github.state.lineComments.filter(({ author }) => author === 'robot')
    expect(said.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0))).toMatchObject([
      { path: 'README.md', line: 2, side: 'LEFT', body: 'These were good.' },
      { path: 'README.md', line: 3, side: 'RIGHT', body: 'More of what?' },
    ])
    // As GitHub has them, below their lines.
    await expect(
      diff.getByRole('region', { name: 'Conversation on README.md:2 (old version)' }),
    ).toContainText('These were good.')
  })

  await test.step('it is merged once nothing stands against it', async () => {
    await github.as('ann').review(1, { state: 'APPROVED', body: '', comments: [] })
    github.setCheck(pull().headSha, { name: 'test', workflow: 'CI', conclusion: 'success' })
    await page.getByRole('button', { name: /^Review/ }).click()
    await page.getByRole('radio', { name: /Approve/ }).check()
    await page.getByRole('button', { name: 'Send the review' }).click()
    await expect(page.getByText('You approved it.')).toBeVisible()
    await page.getByRole('link', { name: 'Overview' }).click()
    await expect(page.getByText('Nothing stands against it.')).toBeVisible()
    await page.getByRole('button', { name: 'Merge', exact: true }).click()
    await expect(page.getByText(/^Merged into/)).toBeVisible()
    expect(pull()).toMatchObject({ merged: true, mergedBy: 'robot' })
  })
})
