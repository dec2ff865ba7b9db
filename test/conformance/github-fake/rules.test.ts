import { afterEach, describe, expect, test } from 'vitest'
import { createSchemaCheck } from '../../fixtures/github/schemas/validate.ts'
import { githubForTest, withToken } from '../../helpers/github/fake-github.ts'

/**
 * Rules for branches are held to GitHub’s own description of its API; it is not there for rulesets
 * themselves, whose type the compiler checks.
 */
const { answered, violations } = createSchemaCheck()
afterEach(() =>
  expect(
    violations
      .filter((words) => !words.startsWith('GET /repos/{owner}/{repo}/rulesets/'))
      .splice(0),
  ).toEqual([]),
)

describe('(20.7) rulesets of the fake GitHub', () => {
  test('are returned for branches that are not there, by pattern, and only active ones', async () => {
    const { fake, api } = await githubForTest({ answered })
    const types = async (branch: string): Promise<unknown[]> =>
      (await api('GET', `/rules/branches/${branch}`)).body.map(({ type }: { type: string }) => type)
    expect(await types('main.a')).toEqual([])
    const all = fake.addRuleset({
      name: 'All',
      exclude: ['refs/heads/free/**/*'],
      rules: [{ type: 'creation' }],
    })
    fake.addRuleset({ include: ['refs/heads/main.*'], rules: [{ type: 'required_signatures' }] })
    fake.addRuleset({
      include: ['~DEFAULT_BRANCH'],
      rules: [{ type: 'pull_request', parameters: pullRequest(['squash']) }],
    })
    expect(await types('main.a')).toEqual(['creation', 'required_signatures'])
    expect(await types('main.a/b')).toEqual(['creation'])
    expect(await types('main')).toEqual(['creation', 'pull_request'])
    expect(await types('free/a/b')).toEqual([])
    expect((await api('GET', '/rules/branches/main')).body[0]).toEqual({
      type: 'creation',
      ruleset_source_type: 'Repository',
      ruleset_source: 'octo/widgets',
      ruleset_id: all.id,
    })
    expect((await api('GET', `/rulesets/${all.id}`)).body).toMatchObject({
      name: 'All',
      current_user_can_bypass: 'never',
      enforcement: 'active',
    })
    all.bypass.push('robot')
    expect((await api('GET', `/rulesets/${all.id}`)).body).toMatchObject({
      current_user_can_bypass: 'always',
    })
    all.enforcement = 'evaluate'
    expect(await types('main')).toEqual(['pull_request'])
    expect((await api('GET', '/rulesets/1')).status).toBe(404)
  })

  test('hold pushes that come at the same moment, each by who pushes', async () => {
    const { fake, repository } = await githubForTest({ answered })
    fake.addUser('ann', 'write')
    const ann = withToken(fake.cloneUrl, fake.addToken({ login: 'ann' }))
    fake.addRuleset({ rules: [{ type: 'creation' }] }).bypass.push('robot')
    const push = (remote: string, name: string): Promise<boolean> =>
      repository.git('push', remote, `HEAD:refs/heads/${name}`).then(
        () => true,
        (error: Error) => (error.message.includes('GH013') ? false : Promise.reject(error)),
      )
    const numbers = Array.from({ length: 6 }, (_, number) => number)
    const by = (remote: string, who: string): Promise<boolean[]> =>
      Promise.all(numbers.map((number) => push(remote, `${who}-${String(number)}`)))
    expect(await Promise.all([by('origin', 'robot'), by(ann, 'ann')])).toEqual([
      numbers.map(() => true),
      numbers.map(() => false),
    ])
  })

  test('refuse pushes in GitHub’s words, but for those who bypass them', async () => {
    const { fake, repository, branch } = await githubForTest({ answered })
    const push = (name: string, ...args: string[]): Promise<string> =>
      repository.git('push', ...args, 'origin', `HEAD:refs/heads/${name}`).then(
        () => '',
        (error: unknown) => String(error),
      )
    await branch('main.a', { 'a.txt': 'a' })
    const held = fake.addRuleset({
      include: ['refs/heads/main.*'],
      rules: [{ type: 'creation' }, { type: 'non_fast_forward' }],
    })
    fake.addRuleset({ include: ['refs/heads/signed.*'], rules: [{ type: 'required_signatures' }] })
    fake.addRuleset({
      include: ['refs/heads/name*'],
      rules: [
        {
          type: 'branch_name_pattern',
          parameters: { operator: 'regex', pattern: '^name/[a-z]+$' },
        },
      ],
    })
    await repository.commit({ 'b.txt': 'b' }, 'Add b')
    expect(await push('main.a')).toBe('')
    await repository.git('commit', '--amend', '-q', '-m', 'Amended')
    expect(await push('main.a', '--force')).toMatch(
      /remote: error: GH013: Repository rule violations found for refs\/heads\/main\.a\.[^]*- Cannot force-push/,
    )
    expect(await push('main.b')).toContain('- Cannot create ref due to creations being restricted.')
    expect(await push('signed.a')).toContain('- Commits must have verified signatures.')
    expect(await push('names')).toContain('- Branch name must match a given pattern')
    expect(await push('name/a')).toBe('')
    expect(await push('other')).toBe('')
    held.bypass.push('robot')
    expect(await push('main.b')).toBe('')
  })

  test('and the repository’s settings allow only some ways of merging', async () => {
    const { fake, api, pull } = await githubForTest({ answered })
    const { number } = await pull('feature', { 'a.txt': 'a' })
    await api('GET', `/pulls/${number}`)
    const merge = async (method: string) => {
      const { status, body } = await api('PUT', `/pulls/${number}/merge`, { merge_method: method })
      return [status, body.message]
    }
    fake.state.repository.allowSquash = false
    expect(await merge('squash')).toEqual([
      405,
      'Squash merges are not allowed on this repository.',
    ])
    fake.addRuleset({ rules: [{ type: 'required_linear_history' }] })
    expect(await merge('merge')).toEqual([
      405,
      expect.stringContaining('This branch must not contain merge commits.'),
    ])
    fake.addRuleset({
      include: ['~DEFAULT_BRANCH'],
      rules: [{ type: 'pull_request', parameters: pullRequest(['merge']) }],
    })
    expect(await merge('rebase')).toEqual([
      405,
      expect.stringContaining('Repository rule violations found'),
    ])
    for (const ruleset of fake.state.rulesets) ruleset.enforcement = 'disabled'
    expect((await merge('rebase'))[0]).toBe(200)
  })
})

const pullRequest = (allowed: readonly string[]) => ({
  allowed_merge_methods: allowed,
  dismiss_stale_reviews_on_push: false,
  require_code_owner_review: false,
  require_last_push_approval: false,
  required_approving_review_count: 0,
  required_review_thread_resolution: false,
})
