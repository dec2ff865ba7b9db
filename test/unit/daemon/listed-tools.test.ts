import { expect, it } from 'vitest'
import { configSchema } from '../../../src/config/schema.ts'
import { listedTools } from '../../../src/daemon/listed-tools.ts'
import { ALL_TOOLS } from '../../../src/tools/all.ts'

const names = (agent: Parameters<typeof listedTools>[1], config: object = {}): string[] =>
  listedTools(configSchema.parse(config), agent).map(({ name }) => name)

it('an agent is shown what is listed for its role, and nothing that is only for scripts', () => {
  const lead = names({ role: 'tl', tools: null })
  expect(lead).toEqual(expect.arrayContaining(['spawn_subtree', 'merge_pr', 'send']))
  const unlisted = ALL_TOOLS.filter(({ listed }) => !listed).map(({ name }) => name)
  expect(unlisted.length).toBeGreaterThan(0)
  expect(lead.filter((name) => unlisted.includes(name))).toEqual([])
  const worker = names({ role: 'dev', tools: null })
  expect(worker).toContain('file_pr')
  expect(worker).not.toContain('spawn_subtree')
})

it('a role of one’s own and a program are shown what the given configuration allows them', () => {
  expect(names({ role: 'dev', tools: ['send'] })).toEqual(['read_message', 'send'])
  const reviewer = { role: 'reviewer', tools: null }
  expect(names(reviewer)).not.toContain('pr_review')
  expect(names(reviewer, { roles: { reviewer: { tools: ['pr_review'] } } })).toContain('pr_review')
})
