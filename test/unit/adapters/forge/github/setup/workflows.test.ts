import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  escapePattern,
  matchesPattern,
  passesFilter,
} from '../../../../../../src/adapters/forge/github/setup/branch-pattern.ts'
import { findSilentWorkflows } from '../../../../../../src/adapters/forge/github/setup/workflows.ts'

const path = '.github/workflows/ci.yml'
const look = (text: string, root = 'main') =>
  findSilentWorkflows([{ path, text: `name: CI\n${text}\njobs: {}\n` }], root)

describe('workflows that will not run on the pull requests of a tree', () => {
  it('says which bases a filter leaves out, where it stands, and the pattern to add', () => {
    expect(look('on:\n  pull_request:\n    branches: [main]')).toEqual([
      {
        path,
        line: 4,
        problem: "runs on pull requests against 'main', not against main.feature",
        fix: "Add 'main.*' to its branches",
      },
    ])
    expect(
      look(
        "on:\n  pull_request:\n    types: [opened]\n    branches:\n      - 'releases/**'",
        'feature/x',
      ),
    ).toMatchObject([
      {
        line: 5,
        problem:
          "runs on pull requests against 'releases/**', not against feature/x and feature/x.feature",
        fix: "Add 'feature/x', 'feature/x.*' to its branches",
      },
    ])
    expect(look("on:\n  pull_request:\n    branches-ignore: ['*.*']")).toMatchObject([
      { line: 4, problem: expect.stringContaining('main.feature (branches-ignore)') },
    ])
  })

  it('finds the advice to be enough', () => {
    for (const root of ['main', 'feature/x', 'a+b', 'v1.2']) {
      const [finding] = look('on: {pull_request: {branches: [other]}}', root)
      const patterns = [...(finding?.fix ?? '').matchAll(/'([^']*)'/g)].map(
        ([, pattern]) => pattern,
      )
      expect(look(`on: {pull_request: {branches: ${JSON.stringify(patterns)}}}`, root)).toEqual([])
    }
  })

  it('reports those that run on pushes to some branches only', () => {
    expect(look('on:\n  push:\n    branches: [main, "release-*"]')).toEqual([
      {
        path,
        line: 4,
        problem: "runs only on pushes to 'main', 'release-*', so on no agent’s pull request",
        fix: 'If it checks the code, add `pull_request:` to its `on:`',
      },
    ])
    // It deploys, where pull requests are checked by another.
    const deploy = { path: '.github/workflows/deploy.yml', text: 'on: {push: {branches: [main]}}' }
    expect(findSilentWorkflows([deploy, { path, text: 'on: pull_request' }], 'main')).toEqual([])
    expect(
      findSilentWorkflows(
        [deploy, { path, text: 'on: {pull_request: {branches: [main]}}' }],
        'main',
      ),
    ).toMatchObject([{ path }])
    expect(
      findSilentWorkflows(
        [deploy, { path, text: 'on: {pull_request: {types: [labeled]}}' }],
        'main',
      ),
    ).toMatchObject([{ path: deploy.path }])
  })

  it.each([
    'on: pull_request',
    'on: push',
    'on: [push, pull_request]',
    'on:\n  pull_request:',
    "on:\n  pull_request:\n    branches: ['main*']",
    "on:\n  pull_request:\n    branches: ['**']",
    "on:\n  pull_request:\n    branches: [main, 'main.*']",
    'on:\n  pull_request:\n    branches-ignore: [gh-pages]',
    // What runs on the head’s push is there on the pull request too.
    'on:\n  push:\n  pull_request:\n    branches: [main]',
    // No checks of code at all.
    'on: workflow_dispatch',
    'on:\n  schedule:\n    - cron: "0 0 * * *"',
    'on:\n  push:\n    tags: ["v*"]',
    'on:\n  pull_request:\n    types: [labeled]\n    branches: [main]',
    '"on":\n  pull_request:',
    '',
  ])('finds nothing in %j', (text) => {
    expect(look(text)).toEqual([])
  })

  it('says what no YAML is, and survives whatever stands there', () => {
    expect(look('on: [push')).toMatchObject([
      { path, problem: expect.stringContaining('no valid YAML') },
    ])
    for (const text of [
      '- a',
      'on: 5',
      'on: {pull_request: [1]}',
      'on: {pull_request: {branches: {a: b}}}',
      'on: {pull_request: {branches: 1.0}}',
      '\u0000',
      'on: *x',
    ])
      expect(() => findSilentWorkflows([{ path, text }], 'main')).not.toThrow()
  })
})

describe('branch patterns of Actions', () => {
  // From GitHub’s cheat sheet.
  it.each([
    [
      'feature/*',
      ['feature/my-branch', 'feature/日本', 'feature/your-branch'],
      ['feature/a/b', 'feature'],
    ],
    [
      'feature/**',
      ['feature/beta-a/my-branch', 'feature/your-branch', 'feature/mona/the/octocat'],
      ['features'],
    ],
    ['main', ['main'], ['main.a', 'xmain', 'Main']],
    ['*', ['main', 'releases'], ['all/the/branches']],
    ['**', ['all/the/branches', 'every/tag'], []],
    ['a😀+b', ['a😀b', 'a😀😀b'], ['ab']],
    ['*feature', ['mona-feature', 'feature', 'ver-10-feature'], ['feature-x']],
    ['v2*', ['v2', 'v2.0', 'v2.9'], ['v1']],
    ['v[12].[0-9]+.[0-9]+', ['v1.10.1', 'v2.0.0'], ['v3.0.0', 'v1.0', 'v1x0x0']],
    ['*.jsx?', ['page.js', 'page.jsx'], ['page.jsxx']],
    ['**/docs/**', ['docs/hello', 'dir/docs/my-file'], ['docs']],
    [String.raw`a\+b\*`, ['a+b*'], ['aab', 'a+bc']],
  ])('%s', (pattern, matching, others) => {
    for (const branch of matching)
      expect([branch, passesFilter([pattern], branch)]).toEqual([branch, true])
    for (const branch of others)
      expect([branch, passesFilter([pattern], branch)]).toEqual([branch, false])
  })

  it('counts them in order, with ! taking out what came before', () => {
    expect(passesFilter(['releases/**', '!releases/**-alpha'], 'releases/10')).toBe(true)
    expect(passesFilter(['releases/**', '!releases/**-alpha'], 'releases/beta/3-alpha')).toBe(false)
    expect(passesFilter(['!releases/**-alpha', 'releases/**'], 'releases/beta/3-alpha')).toBe(true)
    expect(passesFilter(['!main'], 'feature')).toBe(false)
  })

  it('matches an escaped name and its children, and nothing else', () => {
    const branch = fc.stringMatching(/^[a-z0-9+!?*[\]._/-]{1,12}$/)
    fc.assert(
      fc.property(branch, branch, (name, other) => {
        expect(passesFilter([escapePattern(name)], name)).toBe(true)
        expect(passesFilter([escapePattern(name)], other)).toBe(name === other)
        expect(passesFilter([`${escapePattern(name)}.*`], `${name}.child.grandchild`)).toBe(true)
        expect(passesFilter([`${escapePattern(name)}.*`], name)).toBe(false)
      }),
    )
  })

  it('is a pattern whatever was written, and takes no longer for being long', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[*?+[\]!\\a-c.z-]{0,20}$/), (pattern) => {
        expect([true, false]).toContain(matchesPattern(pattern, 'a'.repeat(40)))
      }),
    )
    expect(matchesPattern('*a'.repeat(30), 'a'.repeat(200) + 'b')).toBe(false)
  })
})
