import { hash } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { checkEnvironment } from '../../../../../src/adapters/forge/local/check-run.ts'
import { logTail, trimLogs } from '../../../../../src/adapters/forge/local/check-log.ts'
import { plainText } from '../../../../../src/adapters/forge/plain-text.ts'
import { checksState } from '../../../../../src/adapters/forge/local/check-state.ts'
import { judgeReviews } from '../../../../../src/adapters/forge/review-decision.ts'
import { squashMessage } from '../../../../../src/adapters/forge/squash-message.ts'
import type { Sha } from '../../../../../src/domain/ids.ts'
import { createTextGate } from '../../../../../src/sanitize/text-gate.ts'

const own = 'ab12'.repeat(16)
const gate = createTextGate({
  values: () => [],
  hasHash: (sum) => sum === hash('sha256', own),
  entropy: () => false,
})
const ann = { name: 'Ann', email: 'ann@example.invalid' }
const bob = { name: 'Bob', email: 'bob@example.invalid' }
const squash = (options: Partial<Parameters<typeof squashMessage>[0]>) =>
  squashMessage({
    number: 7,
    title: 'Title',
    body: '',
    author: ann,
    commits: [{ author: ann, message: 'x' }],
    gate,
    ...options,
  })

describe('the message of a squash', () => {
  it('is title and number, description, and each co-author once', () => {
    expect(squash({})).toBe('Title (#7)\n')
    expect(squash({ body: 'Why.\n' })).toBe('Title (#7)\n\nWhy.\n')
    const commits = [
      { author: bob, message: 'a\n\nCo-authored-by: Cy <CY@example.invalid>' },
      {
        author: { ...bob, name: 'Robert' },
        message:
          'b\n\nco-authored-by: Cy <cy@example.invalid>\nCo-authored-by: Ann <ann@example.invalid>',
      },
    ]
    expect(squash({ commits })).toBe(
      'Title (#7)\n\nCo-authored-by: Bob <bob@example.invalid>\nCo-authored-by: Cy <CY@example.invalid>\n',
    )
  })

  it('lets neither secrets nor marks into history, whoever is named', () => {
    const hostile = { name: `Bob \u001b[31m${own}`, email: 'bob@example.invalid' }
    const message = `x\n\nCo-authored-by: Cy ${own} <cy@example.invalid>`
    const written = squash({
      title: own,
      body: `b ${own}`,
      commits: [{ author: hostile, message }],
    })
    expect(written).toContain(
      'Co-authored-by: Bob [redacted] <bob@example.invalid>\nCo-authored-by: Cy [redacted] <cy@example.invalid>',
    )
    expect(written).not.toContain(own)
  })

  it('adds to trailers that stand there instead of repeating or separating them', () => {
    const commits = [{ author: bob, message: 'x' }]
    expect(squash({ body: 'Co-authored-by: Bob <bob@example.invalid>', commits })).toBe(
      'Title (#7)\n\nCo-authored-by: Bob <bob@example.invalid>\n',
    )
    expect(squash({ body: 'Why.\n\nRefs: 12', commits })).toBe(
      'Title (#7)\n\nWhy.\n\nRefs: 12\nCo-authored-by: Bob <bob@example.invalid>\n',
    )
    expect(squash({ body: `Co-authored-by:${' '.repeat(100_000)}x`, commits })).toContain('Bob')
    expect(squash({ text: 'Own words', commits })).toBe(
      'Own words\n\nCo-authored-by: Bob <bob@example.invalid>\n',
    )
  })
})

describe('the decision of reviews', () => {
  const head = 'head' as Sha
  const old = 'old' as Sha
  const review = (
    author: 'human' | 'forge:x',
    state: 'approved' | 'changes_requested' | 'commented',
    commit = head,
  ) => ({ author, state, commit, trusted: true })
  const never = async () => false

  it.each([
    [[], 'none'],
    [[review('human', 'commented')], 'none'],
    [[review('human', 'approved')], 'approved'],
    [[review('human', 'changes_requested'), review('human', 'approved')], 'approved'],
    [[review('human', 'changes_requested'), review('human', 'commented')], 'changes_requested'],
    [[review('human', 'changes_requested'), review('forge:x', 'approved')], 'changes_requested'],
    [[review('human', 'changes_requested', old), review('forge:x', 'approved')], 'approved'],
    [[review('human', 'approved', old)], 'none'],
  ] as const)('of %j is %s', async (reviews, decision) => {
    expect((await judgeReviews(reviews, { head, sameWork: never })).reviewDecision).toBe(decision)
  })

  it('holds for a head that brings the same work', async () => {
    expect(
      await judgeReviews([review('human', 'changes_requested', old)], {
        head,
        sameWork: async () => true,
      }),
    ).toMatchObject({ reviewDecision: 'changes_requested' })
  })
})

describe('checks', () => {
  it('never count as passed unless they passed', () => {
    expect(
      [
        'passed',
        'failed',
        'timed_out',
        'queued',
        'running',
        'interrupted',
        'cancelled',
        undefined,
      ].map((status) => checksState(status as 'passed')),
    ).toEqual(['passed', 'failed', 'failed', 'pending', 'pending', 'pending', 'none', 'none'])
  })

  it('see neither agents nor the user’s folders and keys', () => {
    const environment = {
      PATH: '/bin',
      HOME: '/me',
      XDG_CONFIG_HOME: '/me/.config',
      SSH_AUTH_SOCK: '/s',
      GIT_CONFIG_GLOBAL: '/g',
      EXOMONAD_TOKEN: 't',
      LANG: 'C',
    }
    expect(checkEnvironment(environment, '/run')).toEqual({
      PATH: '/bin',
      LANG: 'C',
      HOME: '/run/home',
      CI: 'true',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_TERMINAL_PROMPT: '0',
      EXOMONAD_CI_RUN: '/run',
    })
  })

  it('hand out logs without anything a terminal would act on', () => {
    expect(plainText('\u001b[31mred\u001b[0m\r\n10%\r100%\ntab\there\u0007\u009b31m\u0085 ü')).toBe(
      'red\n100%\ntab\there ü',
    )
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => !/[^\P{Cc}\n\t]/u.test(plainText(text))),
    )
  })

  it('are read in time that grows with the length of a log, however hostile', () => {
    expect(plainText('a\u001b]8;;https://example.invalid\u001b\\link\u001b]8;;\u001b\\ b')).toBe(
      'alink b',
    )
    expect(plainText('\u001b]no end\nnext')).toBe('no end\nnext')
    for (const part of ['\u001b]', '\u009d', '\u001b[', '\u001b[1;', '\r', '\u001b]0;x', 'x']) {
      const before = process.cpuUsage()
      plainText(`${part.repeat(300_000)}x`)
      const { user, system } = process.cpuUsage(before)
      // Squared, this would take minutes; microseconds of its own, as a busy machine may let it
      // wait.
      expect(user + system).toBeLessThan(5_000_000)
    }
  })

  it('cut the end of a log to size, and say that it was cut', async () => {
    const folder = mkdtempSync(join(tmpdir(), 't-log-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const path = join(folder, 'a.log')
    writeFileSync(path, 'x'.repeat(50_000))
    const tail = await logTail(path)
    expect(tail).toHaveLength(6_001)
    expect(tail.startsWith('…')).toBe(true)
    expect(await logTail(join(folder, 'none.log'))).toBe('')
  })

  it('lose the oldest logs first, and never the one just written', async () => {
    const folder = mkdtempSync(join(tmpdir(), 't-log-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    for (const [index, name] of ['old', 'middle', 'new'].entries()) {
      writeFileSync(join(folder, name), 'x'.repeat(100))
      utimesSync(join(folder, name), index, index)
    }
    await trimLogs(folder, 200, new Set())
    expect(readdirSync(folder).toSorted()).toEqual(['middle', 'new'])
    await trimLogs(folder, 0, new Set([join(folder, 'middle')]))
    expect(readdirSync(folder)).toEqual(['middle'])
    await trimLogs(join(folder, 'missing'), 0, new Set())
  })
})
