import { expect, test } from './fixtures.ts'

test.describe('the tree', () => {
  test('shows a spawn as it happens', async ({ opened: page, tree }) => {
    tree.script('appears', { steps: [{ do: 'hook', name: 'prompt' }] })
    await expect(page.getByRole('treeitem', { name: /appears/ })).toHaveCount(0)
    await tree.call('spawn_workers', { specs: [{ name: 'appears', prompt: 'Show up' }] })
    await expect(page.getByRole('treeitem', { name: /appears/ })).toContainText('Show up')
  })
})
