import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ForgeView, TreeNode } from '../../../../src/core/agents/tree-document.ts'
import { hasFailed } from '../../../../src/domain/tree-filters.ts'
import { nodesOf } from '../../../../src/surfaces/text/tree/rows.ts'
import { createPalette } from '../../../../src/surfaces/text/palette.ts'
import { layOutTree, renderTree } from '../../../../src/surfaces/text/tree/tree-view.ts'
import { displayWidth } from '../../../../src/surfaces/text/width.ts'
import type { AgentId } from '../../../../src/domain/ids.ts'
import { node, pull, view } from './sample-tree.ts'

const plain = createPalette(false)
const rendered = (root: TreeNode, width = 120): string[] =>
  renderTree(view(root), { width, palette: plain })
const lineOf = (lines: readonly string[], text: string): string =>
  lines.find((line) => line.includes(text)) ?? ''

describe('the tree on a terminal', () => {
  it('draws parents above children, with the lines that connect them, each by the shortest name that is its own', () => {
    const lines = rendered(
      node('feature/x.y', {
        children: [
          node('feature/x.y.auth', {
            children: [node('feature/x.y.auth.tokens'), node('feature/x.y.auth.sessions')],
          }),
          node('feature/x.y.docs'),
        ],
      }),
    )
    expect(lines.slice(3).map((line) => line.split('  worker')[0]?.trimEnd())).toEqual([
      'feature/x.y',
      '├─ auth',
      '│  ├─ tokens',
      '│  └─ sessions',
      '└─ docs',
    ])
  })

  it('names agents whose branch does not: adopted branches, and those that share their parent’s', () => {
    const lines = rendered(
      node('main', {
        children: [node('old/branch', { name: 'rescue' }), node('main', { name: 'fork-1' })],
      }),
    )
    expect(lines.join('\n')).toContain('├─ rescue (old/branch)')
    expect(lines.join('\n')).toContain('└─ (fork-1)')
  })

  it('says of each agent what a person wants to know first', () => {
    const lines = rendered(
      node('main', {
        kind: 'root',
        children: [
          node('main.a', {
            state: 'waiting',
            state_reason: 'question q-1',
            turn: 'id-main.f' as AgentId,
          }),
          node('main.b', { state: 'idle', outcome: { success: true } }),
          node('main.c', { state: 'idle', pr: pull(3, { state: 'merged', checks: 'passed' }) }),
          node('main.d', { state: 'idle', outcome: { success: false, error: 'no network' } }),
          node('main.e', { state: 'failed', state_reason: 'exit 1' }),
          node('main.f', {
            pr: pull(4, { checks: 'failed', review: 'changes_requested' }),
            tokens: 12_345,
            undelivered: 2,
          }),
          node('main.g', { pr: pull(5, { draft: true, checks: 'pending' }), undecided: 1 }),
          node('main.h', { pr: pull(6, { mergeable: 'conflicting' }) }),
          node('main.i', { state: 'idle', state_reason: 'stopped', pane: null }),
          node('main.j', {
            state: 'unknown',
            state_reason: 'a dialog',
            state_source: 'screen',
            state_age_seconds: 130,
          }),
          node('main.n', {
            state: 'idle',
            waits: [
              { what: 'the checks of #3', since: '', age_seconds: 300 },
              { what: 'x', since: '', age_seconds: 2 },
            ],
          }),
          node('main.p', { turn: 'human', tool_calls: 3 }),
          node('main.o', {
            state: 'idle',
            turn: 'human',
            waits: [{ what: '#4 to be reviewed or merged', since: '', age_seconds: 300 }],
          }),
          node('main.l', { state: 'waiting', state_reason: 'wait' }),
          node('main.m', {
            state: 'waiting',
            state_reason: 'wait',
            waiting_for: ['a', 'b'] as AgentId[],
          }),
          node('main.k', {
            state: 'waiting',
            state_reason: 'permission to run npm publish',
            state_age_seconds: 40,
          }),
        ],
      }),
      160,
    )
    expect(lineOf(lines, '─ a')).toContain('◇ waiting: question for f')
    expect(lineOf(lines, '─ b')).toContain('✓ done')
    expect(lineOf(lines, '─ c')).toMatch(/✓ merged +1s hook +#3 merged +✓ passed/)
    expect(lineOf(lines, '─ d')).toContain('✗ gave up no network')
    expect(lineOf(lines, '─ e')).toContain('✗ failed exit 1')
    expect(lineOf(lines, '─ f')).toMatch(/#4 changes +✗ failed +12k +3m +2$/)
    expect(lineOf(lines, '─ g')).toMatch(/#5 draft +● running +3m +1!$/)
    expect(lineOf(lines, '─ h')).toContain('#6 conflict')
    expect(lineOf(lines, '─ i')).toContain('○ stopped')
    expect(lineOf(lines, '─ j')).toMatch(/\? unknown a dialog +2m screen/)
    expect(lineOf(lines, '─ n')).toContain('○ idle: the checks of #3 +1, 5m')
    expect(lineOf(lines, '─ p')).toContain(' running: your turn')
    expect(lineOf(lines, '─ o')).toContain('○ idle: your turn')
    expect(lineOf(lines, '─ l')).toContain('◇ waiting for mail')
    expect(lineOf(lines, '─ m')).toContain('◇ waiting for 2 agents')
    expect(lineOf(lines, '─ k')).toMatch(/◇ waiting: your permission to run npm publish +40s hook/)
  })

  it('says of what has no terminal what it runs or how much it did, and how that ended', () => {
    const without = (name: string, facts: Partial<TreeNode>) =>
      node('main', { name, runtime: 'headless', kind: 'process', command: 'npm test', ...facts })
    const lines = rendered(
      node('main', {
        kind: 'root',
        children: [
          without('runs', { age_seconds: 65 }),
          without('good', {
            state: 'completed',
            exit_code: 0,
            age_seconds: 300,
            state_age_seconds: 180,
          }),
          without('bad', { state: 'failed', exit_code: 2, state_reason: 'exit 2' }),
          without('signalled', { state: 'failed', exit_signal: 'SIGSEGV' }),
          without('lost', { state: 'failed', state_reason: 'its host is gone' }),
          without('asks', {
            kind: 'llm',
            runtime: 'acp',
            command: null,
            state: 'waiting',
            state_reason: 'permission Run npm publish',
          }),
          without('thinks', { kind: 'spawn', runtime: 'acp', command: null, tool_calls: 7 }),
        ],
      }),
      160,
    )
    expect(lineOf(lines, '(runs)')).toMatch(/process +◐ running npm test .* 1m$/)
    expect(lineOf(lines, '(good)')).toMatch(/✓ completed exit 0: npm test +3m hook +2m$/)
    expect(lineOf(lines, '(bad)')).toContain('✗ failed exit 2: npm test')
    expect(lineOf(lines, '(signalled)')).toContain('✗ failed SIGSEGV: npm test')
    expect(lineOf(lines, '(lost)')).toContain('✗ failed its host is gone')
    expect(lineOf(lines, '(asks)')).toMatch(/llm +◇ waiting: your permission Run npm publish/)
    expect(lineOf(lines, '(thinks)')).toMatch(/spawn +◐ running 7 calls/)
  })

  /** Everything there is to show, on terminals of several widths. */
  const busy = view(
    node('main', {
      kind: 'root',
      state: 'idle',
      state_age_seconds: 65,
      tokens: 1_200_000,
      cost_usd: 3.21,
      children: [
        node('main.shop', {
          kind: 'subtree',
          state_age_seconds: 12,
          tokens: 812_000,
          cost_usd: 2.04,
          children: [
            node('main.shop.cart', {
              state: 'waiting',
              state_reason: 'permission to run npm publish',
              state_age_seconds: 40,
              tokens: 91_000,
              cost_usd: 0.42,
            }),
            node('main.shop.checkout', {
              state: 'idle',
              state_source: 'session',
              state_age_seconds: 130,
              pr: pull(12, { checks: 'failed', review: 'changes_requested' }),
              tokens: 13_400,
              cost_usd: 0.09,
              unpriced_models: ['mystery'],
              undelivered: 2,
            }),
          ],
        }),
        node('main.docs', {
          state: 'unknown',
          state_reason: 'a dialog',
          state_source: 'screen',
          tokens: 5000,
          unpriced_models: ['mystery'],
        }),
        node('main.search-index', {
          state: 'idle',
          pr: pull(3, { state: 'merged', checks: 'passed' }),
          state_age_seconds: 7300,
          tokens: 440,
          cost_usd: 1234,
        }),
      ],
    }),
  )

  it('shows state with age and source, tokens and money in 120 columns', () => {
    expect(renderTree(busy, { width: 120, palette: plain })).toMatchInlineSnapshot(`
      [
        "◆ /home/ada/shop                 5 agents · 1 running · 1 waiting · 1 unknown · 1 idle · 1 merged · 2.1M tokens · $1.2k+",
        "",
        "AGENT            KIND     STATE                             SINCE       PR           CHECKS    TOKENS    COST  AGE  MAIL",
        "main             root     ○ idle                            1m hook                              1.2M   $3.21   3m",
        "├─ shop          subtree  ◐ running                         12s hook                             812k   $2.04   3m",
        "│  ├─ cart       worker   ◇ waiting: your permission to…    40s hook                              91k   $0.42   3m",
        "│  └─ checkout   worker   ○ idle                            2m session  #12 changes  ✗ failed     13k  $0.09+   3m     2",
        "├─ docs          worker   ? unknown a dialog                1s screen                              5k           3m",
        "└─ search-index  worker   ✓ merged                          2h hook     #3 merged    ✓ passed     440   $1.2k   3m",
        "",
        "✗ 1 red: checkout",
      ]
    `)
  })

  it('shows what matters most in 80', () => {
    expect(renderTree(busy, { width: 80, palette: plain })).toMatchInlineSnapshot(`
      [
        "◆ /home/ada/…   5 agents · 1 running · 1 waiting · 1 unknown · 1 idle · 1 merged",
        "",
        "AGENT           STATE                 PR          CHECKS    TOKENS    COST  MAIL",
        "main            ○ idle                                        1.2M   $3.21",
        "├─ shop         ◐ running                                     812k   $2.04",
        "│  ├─ cart      ◇ waiting: your…                               91k   $0.42",
        "│  └─ checkout  ○ idle                #12…        ✗ failed     13k  $0.09+     2",
        "├─ docs         ? unknown a dialog                              5k",
        "└─ search-…     ✓ merged              #3 merged   ✓ passed     440   $1.2k",
        "",
        "✗ 1 red: checkout",
      ]
    `)
  })

  it('says how many items need the human, and where to look; of news only where nothing does', () => {
    const last = (items: number, news: number) =>
      renderTree(
        view(node('main'), { inbox: { messages: 9, questions: 1, approvals: 0, items, news } }),
        { width: 100, palette: plain },
      ).at(-1)
    expect(last(3, 2)).toBe('! 3 items need you: exomonad inbox')
    expect(last(1, 2)).toBe('! 1 item needs you: exomonad next')
    expect(last(0, 2)).toBe('2 messages for you: exomonad inbox')
    expect(last(0, 0)).not.toContain('for you')
  })

  it('says that GitHub can’t be used, or that its limit is nearly spent, and nothing where all is well', () => {
    const since = new Date(2026, 0, 2, 9, 5, 0).toISOString()
    const retryAt = new Date(2026, 0, 2, 9, 6, 30).toISOString()
    const points = { limit: 5000, remaining: 240, reset_at: retryAt }
    const line = (forge: Partial<ForgeView>, width = 140) =>
      renderTree(
        view(node('main'), { forge: { kind: 'github', budget: null, trouble: null, ...forge } }),
        { width, palette: plain },
      ).at(-1)
    const trouble = {
      since,
      code: 'FORGE_UNAVAILABLE',
      reason: 'no connection\u001b[2J',
      retry_at: retryAt,
    }
    expect(line({ trouble })).toBe(
      '! GitHub can’t be used since 09:05:00: no connection; tried again at 09:06:30',
    )
    expect(line({ trouble: { ...trouble, retry_at: null } })).toBe(
      '! GitHub can’t be used since 09:05:00: no connection',
    )
    const refused = { ...trouble, reason: 'github.com refuses the token. Set another.' }
    expect(line({ trouble: refused })).toBe(
      '! GitHub can’t be used since 09:05:00: github.com refuses the token. Set another; tried again at 09:06:30',
    )
    // What to do has no room, but where it is reported.
    expect(line({ trouble: refused }, 80)).toBe(
      '! GitHub can’t be used since 09:05:00: github.com refuses the… exomonad doctor',
    )
    expect(line({ budget: { points, requests: null, blocked_until: null, slowdown: 4 } })).toBe(
      '! GitHub is looked at 4 times slower, so that its limit lasts: 240 of 5000 points are left until 09:06:30',
    )
    expect(
      line({ budget: { points, requests: null, blocked_until: retryAt, slowdown: 1 } }),
    ).toContain('nothing is asked of it before 09:06:30')
    expect(
      line({ budget: { points, requests: null, blocked_until: null, slowdown: 1 } }),
    ).not.toContain('GitHub')
  })

  it('leaves out agents, but not what waits for the human, where it must fit a height', () => {
    const root = node('main', {
      children: Array.from({ length: 30 }, (_, index) => node(`main.a${index}`)),
    })
    const lines = renderTree(
      view(root, { inbox: { messages: 1, questions: 0, approvals: 0, items: 0, news: 1 } }),
      {
        width: 100,
        palette: plain,
        height: 12,
      },
    )
    expect(lines).toHaveLength(12)
    expect(lines.slice(-3)).toEqual(['… 25 more agents', '', '1 message for you: exomonad inbox'])
    expect(lines.filter((line) => line.includes(' worker ')).length + 25).toBe(31)
  })

  it('aligns columns by what is seen, also with wide characters', () => {
    const lines = rendered(
      node('main', {
        children: [node('main.日本語'), node('main.e\u0301te\u0301'), node('main.plain')],
      }),
    ).slice(3)
    const columns = lines.map((line) => displayWidth(line.slice(0, line.indexOf('worker'))))
    expect(new Set(columns).size).toBe(1)
  })

  it('lets no agent drive the terminal', () => {
    const lines = rendered(
      node('main', {
        children: [
          node('main.x', {
            state: 'failed',
            state_reason: '\u001b]0;owned\u0007\u001b[2J\nnext\u202e',
          }),
        ],
      }),
    )
    // oxlint-disable-next-line no-control-regex -- these must not be there
    expect(lines.join('\n')).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/)
    expect(lineOf(lines, '─ x')).toContain('✗ failed next')
  })

  const facts = fc.record({
    state: fc.constantFrom('running', 'idle', 'waiting', 'failed', 'killed', 'odd'),
    state_reason: fc.option(fc.string({ unit: 'grapheme' })),
    kind: fc.constantFrom('worker', 'subtree'),
    tokens: fc.nat(),
    age_seconds: fc.nat(),
    undelivered: fc.nat(200),
    undecided: fc.nat(3),
    pr: fc.option(
      fc.nat(5000).map((number) => pull(number, { checks: 'pending', review: 'approved' })),
    ),
  })
  const any = fc.record({
    branch: fc.string({ unit: 'grapheme', maxLength: 60 }),
    below: fc.nat(),
    facts,
  })
  /** Each entry hangs below one that came before it. */
  const anyNode = fc.array(any, { minLength: 1, maxLength: 12 }).map((entries) => {
    const nodes = entries.map((entry) => node(entry.branch, { ...entry.facts, children: [] }))
    for (const [index, entry] of entries.entries())
      if (index > 0) nodes[entry.below % index]?.children.push(nodes[index] as TreeNode)
    return nodes[0] as TreeNode
  })

  it('never draws a line wider than the terminal, coloured or not, and one line per agent', () => {
    fc.assert(
      fc.property(
        anyNode,
        fc.integer({ min: 30, max: 200 }),
        fc.boolean(),
        (root, width, color) => {
          const lines = renderTree(view(root), { width, palette: createPalette(color) })
          for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(width)
          const count = (one: TreeNode): number =>
            1 + one.children.reduce((sum, child) => sum + count(child), 0)
          const broken = nodesOf(root).some(hasFailed) ? 2 : 0
          expect(lines).toHaveLength(3 + count(root) + broken)
        },
      ),
    )
  })

  it('counts in its title the words that its rows say, and in its footer what failed or is red', () => {
    const root = node('main', {
      kind: 'root',
      children: [
        node('main.a'),
        node('main.b', { state: 'idle', pr: pull(1, { state: 'merged' }) }),
        node('main.c', { state: 'idle', outcome: { success: true } }),
        node('main.d', { state: 'idle', outcome: { success: false, error: 'x' } }),
        node('main.e', { state: 'failed' }),
        node('main.f', { pr: pull(2, { checks: 'failed' }) }),
        node('main.g', { pr: pull(3, { checks: 'failed', state: 'merged' }) }),
      ],
    })
    const lines = rendered(root, 140)
    expect(lines[0]).toMatch(/ 7 agents · 3 running · 1 failed · 1 gave up · 1 done · 1 merged$/)
    expect(lines.at(-1)).toBe('✗ 2 failed: d, e · 1 red: f')
    expect(rendered(root, 60)[0]).toMatch(/ 7 agents · 3 running · 1 failed · 1 gave up$/)
  })

  it('of a part counts what fits, and shows those above it dim', () => {
    const root = node('main', {
      kind: 'root',
      matches: false,
      children: [
        node('main.lead', { matches: false, children: [node('main.lead.w1')] }),
        node('main.deep', { hidden: 4 }),
      ],
    })
    const lines = renderTree(view(root, { counts: { agents: 9, live: 9, done: 0, failed: 0 } }), {
      width: 100,
      palette: createPalette(true),
    })
    expect(lines[0]).toContain('2 of 9 agents · 2 running')
    const dim = createPalette(true).dim('├─ lead')
    expect(lines.find((line) => line.includes('lead'))).toContain(dim)
    expect(lines.find((line) => line.includes('w1'))).toContain(createPalette(true).bold('w1'))
    expect(lines.find((line) => line.includes('deep'))).toContain('deep +4 below')
  })

  it('shows the first words of tasks where nothing else wants the room', () => {
    const root = node('main', {
      kind: 'root',
      children: [node('main.a', { task: 'Write the parser for durations' }), node('main.b')],
    })
    expect(lineOf(rendered(root, 120), '─ a')).toMatch(/3m +Write the parser for durations$/)
    expect(lineOf(rendered(root, 66), '─ a')).toMatch(/3m +Write the .*…$/)
    expect(rendered(root, 52).join('\n')).not.toContain('TASK')
  })

  it('scrolls what does not fit, to the last agent and no further', () => {
    const root = node('main', {
      children: Array.from({ length: 30 }, (_, index) => node(`main.a${index}`)),
    })
    const at = (scroll: number) =>
      layOutTree(view(root), { width: 100, palette: plain, height: 12, scroll })
    expect(at(0)).toMatchObject({ mostScroll: 23, page: 8 })
    expect(at(0).lines.at(-1)).toBe('… 23 more agents')
    expect(at(3).lines[3]).toContain('a2')
    expect(at(3).lines.at(-1)).toBe('… 3 above, 20 below')
    expect(at(99).lines.at(-2)).toContain('a29')
    expect(at(99).lines.at(-1)).toBe('… 23 above')
    for (const { lines } of [at(0), at(3), at(99)]) expect(lines).toHaveLength(12)
    const tall = layOutTree(view(root), { width: 100, palette: plain, height: 40, scroll: 5 })
    expect(tall.mostScroll).toBe(0)
    expect(tall.lines.join('\n')).toContain('a29')
  })

  it('shows the same text with and without colours', () => {
    fc.assert(
      fc.property(anyNode, (root) => {
        const [coloured, uncoloured] = [true, false].map((color) =>
          renderTree(view(root), { width: 100, palette: createPalette(color) }).join('\n'),
        )
        // oxlint-disable-next-line no-control-regex -- colour codes
        expect(coloured?.replace(/\u001b\[\d+m/g, '')).toBe(uncoloured)
      }),
    )
  })
})
