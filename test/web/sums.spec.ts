import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { expect, test } from './fixtures.ts'

/** What is summed up of a whole tree, from what a real daemon saw. */

const ACP = fileURLToPath(new URL('../fixtures/acp/scripted-agent.ts', import.meta.url))
/** Red with both halves of the pair, and only then. */
const CHECK = 'if test -e left.txt && test -e right.txt; then echo "both halves"; exit 1; fi'
const CONFIG = `
[forge.local]
ci = ["sh", "-c", ${JSON.stringify(CHECK)}]
[fold]
enabled = true
[acp.spender]
command = ${JSON.stringify([process.execPath, ACP, '--models', 'large'])}
[prices."large"]
input = 10
output = 50
[limits]
money_per_subtree = 2.5
`

/** Files that a diff can’t just be shown of. */
const LARGE = [{ do: 'sh', command: "seq 20000 > numbers.txt; printf 'PNG\\000\\001' > logo.png" }]

test('what agents used is said in money and tokens, and their pull requests as a chain', async ({
  page,
  start,
  open,
}) => {
  test.slow()
  const tree = await start({ config: CONFIG })
  await open(page, tree)
  const spend = (name: string, input: number, output: number) =>
    tree.call('spawn_workers', {
      specs: [
        { name, agent: 'acp:spender', prompt: `script:\nusage ${input} ${output}\nsay done` },
      ],
    })
  await page.getByRole('link', { name: 'Cost' }).click()
  await expect(page.getByText('Nothing was used in that time')).toBeVisible()

  await test.step('what it cost comes in by itself, with its budget', async () => {
    await spend('thrifty', 10_000, 2_000)
    await spend('lavish', 100_000, 20_000)
    const table = page.getByRole('table').first()
    await expect(table.getByRole('row', { name: /lavish/ })).toContainText('$2.00')
    await expect(table.getByRole('row', { name: /thrifty/ })).toContainText('$0.20')
    await expect(table.getByRole('row', { name: /^All/ })).toContainText('$2.20')
    await expect(page.getByRole('region', { name: 'Budgets' })).toContainText('nearly used up')
    await page.getByRole('button', { name: 'Models' }).click()
    await expect(page.getByRole('row', { name: /^large/ }).first()).toContainText('132,000')
    await page.getByRole('group', { name: 'Show' }).getByText('Tokens').click()
    await expect(page.getByRole('heading', { name: 'Tokens an hour' })).toBeVisible()
  })

  await test.step('an agent’s view has what it used, over time', async () => {
    await page.goto(new URL('/', page.url()).href)
    await page.getByRole('treeitem').filter({ hasText: 'lavish' }).getByRole('link').click()
    await page.getByRole('tab', { name: 'Cost' }).click()
    const hours = page.getByRole('region', { name: 'US dollars an hour' })
    await expect(hours.locator('.uplot')).toBeVisible()
    await hours.getByRole('link', { name: /over more time/ }).click()
    const row = page.getByRole('row', { name: /lavish/ })
    await expect(row.first()).toContainText('$2.00')
    await expect(page.getByRole('row', { name: /thrifty/ })).toHaveCount(0)
  })

  await test.step('the fold says what is green together, who is red with whom, and why', async () => {
    for (const name of ['alone', 'left', 'right']) {
      tree.script(name, {
        steps: [
          { do: 'write', path: `${name}.txt`, content: `${name}\n` },
          ...(name === 'alone' ? LARGE : []),
          { do: 'commit', message: `Add ${name}` },
          { do: 'tool', name: 'file_pr', input: { title: `Add ${name}`, body: 'As asked.' } },
        ],
      })
      await tree.call('spawn_workers', { specs: [{ name, prompt: `Add ${name}` }] })
      await tree.logged(name, 'its pull request', (entry) => entry['name'] === 'file_pr')
    }
    await page.getByRole('link', { name: 'Fold' }).click()
    const chain = page.getByRole('region', { name: 'Chain of main' })
    await expect(chain.getByText(/red together with #2 Add left/)).toContainText('#3 Add right')
    await expect(chain).toContainText('Add alone')
    // While the chain is made anew it stands in that, too.
    await chain.locator('.chain-out').getByText('what its check wrote (#3)').click()
    await expect(chain.getByRole('region', { name: 'Log of #3' })).toContainText('both halves')
    await page.getByRole('button', { name: 'Pause' }).click()
    await expect(page.getByText(/^paused for/)).toBeVisible()
    expect((await tree.call('fold')).paused).not.toBeNull()
  })

  await test.step('of a diff of 20,000 lines what is seen is drawn, of a binary file its name', async () => {
    await page.goto(new URL('/pulls/1?tab=files', page.url()).href)
    const diff = page.getByRole('grid', { name: 'Diff' })
    await expect(diff).toHaveAttribute('aria-rowcount', /^2\d{4}$/)
    await diff.focus()
    await page.keyboard.press('End')
    await expect(diff.getByText('numbers.txt').first()).toBeVisible()
    await expect(diff.getByRole('row', { selected: true })).toContainText('20000')
    expect(await diff.getByRole('row').count()).toBeLessThan(200)
    await page.keyboard.press('P')
    await page.keyboard.press('P')
    await expect(diff).toContainText('A binary file: its content is not shown.')
  })
})
