import { describe, expect, it } from 'vitest'
import { ALL_TOOLS } from '../../../src/tools/all.ts'
import { verifies } from '../../requirements.ts'

describe('what models read of the tools', () => {
  const listed = ALL_TOOLS.filter((tool) => tool.listed)
  const sentences = (text: string): string[] => text.split(/(?<=[.!?])\s+(?=[A-Z])/)

  it.each(listed.map((tool) => [tool.name, tool.description]))(
    verifies('R004-20', '%s says in two or three sentences what it does and when to choose it'),
    (_name, description) => {
      expect(sentences(description).length).toBeGreaterThanOrEqual(2)
      expect(sentences(description).length).toBeLessThanOrEqual(3)
      expect(description).toMatch(/\b(use it|call it|use this|when|instead|before|soon|only)\b/i)
    },
  )

  it('distinguishes subtrees and workers by whether the work needs further decomposition', () => {
    const words = (name: string): string =>
      ALL_TOOLS.find((tool) => tool.name === name)?.description ?? ''
    expect(words('spawn_subtree')).toMatch(/further decompos|decompos\w+ further/i)
    expect(words('spawn_workers')).toMatch(/concrete enough to execute/i)
  })

  it('describes every argument whose name does not say it all', () => {
    const specs = ALL_TOOLS.find((tool) => tool.name === 'spawn_subtree')
    expect(specs?.input.shape.task.description).toBeTruthy()
  })
})
