import { describe, expect, it, onTestFinished } from 'vitest'
import { createGithubClient } from '../../../../src/adapters/forge/github/client/create.ts'
import { checkPermissions } from '../../../../src/adapters/forge/github/setup/permissions.ts'
import { chooseStrategy } from '../../../../src/core/pulls/merge/strategy.ts'
import type { RulesetRule } from '../../../fixtures/github/engine/state.ts'
import { startGithubTree } from '../../../helpers/github/github-tree.ts'
import { startWriting, name } from '../../../helpers/github/github-writing.ts'
import { waitFor } from '../../../helpers/wait-for.ts'

const rule = (type: string, parameters?: RulesetRule['parameters']): RulesetRule => ({
  type,
  ...(parameters === undefined ? {} : { parameters }),
})
const namePattern = (operator: string, pattern: string, negate = false): RulesetRule =>
  rule('branch_name_pattern', { operator, pattern, negate })

describe('(20.7) how pull requests may be merged', () => {
  it('is read of the repository’s settings, the base’s rules and what both leave', async () => {
    const { forge, github } = await startWriting()
    const ways = () => forge.mergeWays(name('main'))
    expect(await ways()).toEqual({ allowed: ['merge', 'squash', 'rebase'], why: null })
    github.state.repository.allowSquash = false
    expect(await ways()).toEqual({
      allowed: ['merge', 'rebase'],
      why: 'octo/widgets allows no squash merges',
    })
    const linear = github.addRuleset({ rules: [rule('required_linear_history')] })
    expect(await ways()).toEqual({
      allowed: ['rebase'],
      why: 'octo/widgets allows no squash merges, and main has to have a linear history',
    })
    github.addRuleset({ include: ['refs/heads/main'], rules: [rule('required_signatures')] })
    expect((await ways()).allowed).toEqual([])
    linear.enforcement = 'disabled'
    github.state.repository.allowSquash = true
    github.state.rulesets.pop()
    github.addRuleset({
      include: ['refs/heads/main'],
      rules: [rule('pull_request', { allowed_merge_methods: ['squash'] })],
    })
    expect(await ways()).toEqual({
      allowed: ['squash'],
      why: 'the rules of main allow no merge commits or rebase merges',
    })
    expect((await forge.mergeWays(name('main.a'))).why).toBeNull()
    // GitHub refuses what is forbidden and could not be read.
    github.fail(/rules\/branches/, { kind: 'status', status: 500 }, 9)
    expect(await ways()).toEqual({ allowed: ['merge', 'squash', 'rebase'], why: null })
  })

  it('decides where nobody asked for a way, and is said; what was asked for and is forbidden is refused with what is allowed', async () => {
    const { forge, github, grown } = await startWriting()
    github.state.repository.allowSquash = false
    const { number } = await grown('main.a')
    const [read] = await forge.snapshots([number])
    if (read === undefined || !('snapshot' in read)) throw new Error(JSON.stringify(read))
    const choose = (asked: Parameters<typeof chooseStrategy>[2], usual: 'squash' | 'merge') =>
      chooseStrategy(forge, read.snapshot, asked, usual)
    expect(await choose(undefined, 'merge')).toEqual({ strategy: 'merge', instead: null })
    expect(await choose(undefined, 'squash')).toEqual({
      strategy: 'merge',
      instead: 'It was merged by merge instead of squash: octo/widgets allows no squash merges.',
    })
    expect(await choose('rebase', 'squash')).toEqual({ strategy: 'rebase', instead: null })
    await expect(choose('squash', 'squash')).rejects.toMatchObject({
      code: 'PR_NOT_MERGEABLE',
      message: `#${number} can’t be merged by squash: octo/widgets allows no squash merges. Merge it by merge or rebase (strategy).`,
    })
    github.state.repository.allowMerge = false
    expect(await choose(undefined, 'merge')).toMatchObject({ strategy: 'rebase' })
    github.addRuleset({ rules: [rule('required_signatures')] })
    await expect(choose(undefined, 'merge')).rejects.toThrow('No way of merging is left')
  })
})

/**
 * What `doctor` finds of rules like these, for a tree that grows from `main`: [whether nothing
 * works with it, its words].
 */
async function findings(
  rules: readonly RulesetRule[],
  {
    bypass = false,
    deletes = false,
    ...ruleset
  }: { bypass?: boolean; deletes?: boolean; include?: string[] } = {},
) {
  const { github, options } = await startWriting()
  const made = github.addRuleset({ name: 'Strict', ...ruleset, rules })
  if (bypass) made.bypass.push('robot')
  const before = github.calls.length
  const found = await checkPermissions(createGithubClient(options), options.repository, {
    root: 'main',
    deletes,
  })
  if (found.kind !== 'checked') throw new Error(JSON.stringify(found))
  expect(
    github.calls
      .slice(before)
      .filter(({ path, status }) => path.includes('doctor-probe') && status === 200),
  ).toHaveLength(1)
  const other = ['Squash merges', 'Merge commits', 'Rules of main', 'Rules of main.*']
  return {
    url: `${github.url}/octo/widgets/rules/${made.id}`,
    reported: found.permissions.filter(({ permission }) => permission === 'Merge queue'),
    troubles: found.permissions.flatMap(({ permission, state, needed, why, fix }) =>
      state !== 'ok' && other.includes(permission) ? [{ permission, needed, why, fix }] : [],
    ),
  }
}

describe('(20.7) rules that stand in the way of a tree', () => {
  it.each<[RulesetRule, boolean, string]>([
    [rule('creation'), true, 'lets no branches be created: no agent’s branch can be pushed'],
    [
      rule('pull_request', { allowed_merge_methods: ['merge', 'squash', 'rebase'] }),
      true,
      'what agents push to their own branches is refused',
    ],
    [rule('merge_queue'), true, 'by a merge queue only'],
    [
      rule('required_status_checks', {
        required_status_checks: [],
        do_not_enforce_on_create: true,
      }),
      true,
      'what agents push after their first push',
    ],
    [rule('required_signatures'), true, 'wants every commit signed'],
    [
      namePattern('starts_with', 'feature/'),
      true,
      'whose names start with “feature/”: agents’ branches, such as main.doctor-probe',
    ],
    [namePattern('contains', '.', true), true, 'whose names don’t contain “.”'],
    [namePattern('regex', '(?P<x>a)'), false, 'which can’t be determined here'],
    [rule('non_fast_forward'), false, 'lets nobody force a push'],
    [
      rule('commit_message_pattern', { operator: 'regex', pattern: '^[A-Z]+-\\d+' }),
      false,
      'messages match “^[A-Z]+-\\d+”',
    ],
    [rule('max_file_size', { max_file_size: 1 }), false, 'max file size'],
    [rule('something_new'), false, 'has a rule (something_new) that exomonad doesn’t know'],
  ])('are found before the first push: %j', async (one, needed, words) => {
    const { troubles, url } = await findings([one], { include: ['refs/heads/main.*'] })
    expect(troubles).toEqual([
      {
        permission: 'Rules of main.*',
        needed,
        why: expect.stringMatching(/^the ruleset “Strict” of octo\/widgets /),
        fix: expect.stringMatching(
          new RegExp(
            `eave refs/heads/main\\.\\* out of it \\(${url}\\), or let the token’s account bypass it$`,
          ),
        ),
      },
    ])
    expect(troubles[0]?.why).toContain(words)
  })

  it('are none where names fit, where nothing is deleted, where only words come of them, or where the token’s account bypasses them', async () => {
    const harmless = [
      namePattern('regex', '^main'),
      rule('deletion'),
      rule('copilot_code_review', {}),
    ]
    expect((await findings(harmless)).troubles).toEqual([])
    expect((await findings(harmless, { deletes: true })).troubles).toMatchObject([
      { needed: false, why: expect.stringContaining('lets no branch be deleted') },
    ])
    expect((await findings([rule('creation'), rule('update')], { bypass: true })).troubles).toEqual(
      [],
    )
  })

  it('say of the root that a queue merges into it, and what that asks of workflows (20.18)', async () => {
    const { reported, troubles } = await findings([rule('merge_queue')], {
      include: ['~DEFAULT_BRANCH'],
    })
    expect(reported).toMatchObject([
      { state: 'ok', why: expect.stringContaining('have to run on merge_group as well') },
    ])
    expect(troubles).toEqual([])
    expect((await findings([rule('deletion')])).reported).toEqual([])
  })

  it('say of the root that nothing can be merged into it, or in which way only', async () => {
    expect(
      (
        await findings([rule('update', { update_allows_fetch_and_merge: false })], {
          include: ['~DEFAULT_BRANCH'],
        })
      ).troubles,
    ).toMatchObject([
      {
        permission: 'Rules of main',
        needed: true,
        why: 'the ruleset “Strict” lets main not be updated: merges into it are refused',
      },
    ])
    expect(
      (await findings([rule('required_linear_history')], { include: ['~DEFAULT_BRANCH'] }))
        .troubles,
    ).toMatchObject([
      {
        permission: 'Merge commits',
        needed: false,
        why: 'main has to have a linear history: subtrees’ pull requests are merged by squash instead, unless another way is asked for',
      },
    ])
  })
})

describe('(20.7) a tree whose repository is squash-only or restricted', () => {
  it('merges a subtree by squash and says so, refuses what is forbidden early, and says which rule refuses a push', async () => {
    const world = await startGithubTree({ files: { 'README.md': '# Widgets\n' } })
    onTestFinished(() => world.stop())
    const { tree, github } = world
    github.state.repository.allowMerge = github.state.repository.allowRebase = false
    const file = { do: 'tool', name: 'file_pr', input: { title: 'Work', body: 'Done' } }
    const work = (of: string) => [
      { do: 'write', path: `${of}.txt`, content: of },
      { do: 'commit', message: `Add ${of}` },
      file,
    ]
    tree.script('sub', { steps: work('sub') })
    await tree.call('spawn_subtree', { branch_name: 'sub', task: 'Nothing to do.' })
    await waitFor(
      'the filing to be answered',
      () => tree.log('sub').find((entry) => entry['name'] === 'file_pr')?.['answer'],
      { limit: 90_000 },
    )
    const pull = [...github.state.pulls.values()][0]!
    const early = await tree.command(['pr', 'merge', 'sub', '--strategy', 'rebase', '--json'])
    expect(early).toMatchObject({
      code: 1,
      json: {
        code: 'PR_NOT_MERGEABLE',
        error: expect.stringContaining('Merge it by squash (strategy).'),
      },
    })
    expect(github.calls.filter(({ path }) => path.endsWith(`/pulls/${pull.number}/merge`))).toEqual(
      [],
    )
    const { code, json } = await tree.command(['pr', 'merge', 'sub', '--json'])
    expect([code, json.next]).toEqual([
      0,
      expect.stringContaining(
        'It was merged by squash instead of merge: octo/widgets allows no merge commits or rebase merges.',
      ),
    ])
    expect(github.pull(pull.number).merged).toBe(true)

    github.addRuleset({ name: 'Closed', include: ['refs/heads/main.*'], rules: [rule('creation')] })
    const doctor = await tree.command(['doctor', '--json'])
    expect(
      doctor.json.findings.filter(({ found }: { found: string }) => found.startsWith('Rules of')),
    ).toMatchObject([
      {
        subject: 'rights',
        status: 'problem',
        found: expect.stringContaining(
          'Rules of main.*: the ruleset “Closed” of octo/widgets lets no branches be created',
        ),
      },
    ])
    tree.script('late', { steps: work('late') })
    await tree.call('spawn_workers', { specs: [{ name: 'late', prompt: 'Nothing to do.' }] })
    const answer: any = await waitFor(
      'file_pr',
      () => tree.log('late').find((entry) => entry['name'] === 'file_pr'),
      { limit: 90_000 },
    )
    expect(JSON.stringify(answer)).toContain(
      'The rules of origin refuse the push of main.late: Cannot create ref due to creations being restricted',
    )
  }, 240_000)
})
