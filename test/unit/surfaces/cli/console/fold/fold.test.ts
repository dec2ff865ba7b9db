import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { FoldBase, FoldDocument } from '../../../../../../src/core/fold/ahead/fold-document.ts'
import { ExomonadError } from '../../../../../../src/domain/errors.ts'
import { createFrame } from '../../../../../../src/surfaces/cli/console/frame.ts'
import { createPalette } from '../../../../../../src/surfaces/text/palette.ts'
import { displayWidth } from '../../../../../../src/surfaces/text/width.ts'
import { node } from '../../../text/sample-tree.ts'
import { drive } from '../drive.ts'

const SHA = 'abcdef0123456789'
const link = (
  number: number,
  title: string,
  state: FoldBase['links'][number]['state'],
): FoldBase['links'][number] => ({
  ...{ number, title, state, agent: `a${number}`, head_sha: SHA, sha: SHA, landing: null },
  age_seconds: 7,
})
const onMain: FoldBase = {
  ...{ base: 'main', state: 'searching', age_seconds: 9, onto: SHA, lands_here: true },
  links: [link(1, 'Sort the list', 'green'), link(2, 'Rename it', 'testing')],
  testing: [{ numbers: [1, 2], since_seconds: 3, typical_seconds: 60 }],
  ejected: [
    {
      ...{ number: 3, title: 'Break it', age_seconds: 5 },
      partner: { number: 1, title: 'Sort the list' },
      others: [],
    },
  ],
}
const onLead: FoldBase = {
  ...{
    base: 'main.lead',
    state: 'green',
    age_seconds: 1,
    onto: SHA,
    lands_here: true,
    testing: [],
    ejected: [],
  },
  links: [link(8, 'Below the lead', 'green')],
}
const documentOf = (...bases: FoldBase[]): FoldDocument => ({
  ...{ enabled: true, reason: null, paused: null, land: 'parent', forge_lands: false, bases },
})

const deep = node('main.lead.deep', { base_branch: 'main.lead' })
const lead = node('main.lead', { base_branch: 'main', children: [deep] })
const other = node('main.other', { base_branch: 'main' })

function watching(fold: () => unknown = () => documentOf(onMain, onLead)) {
  const console = drive([lead, other], { scrollback: () => ({}), fold })
  const draw = (columns = 90, rows = 30): readonly string[] =>
    createFrame()(console.store.get(), {
      ...{ columns, rows, palette: createPalette(false), now: 6_000, spin: 0 },
    }).rows
  const text = (): string => draw().join('\n')
  const over = (agent: string): void => {
    console.store.dispatch({ type: 'go', agent })
    console.store.dispatch({ type: 'place', place: 'overview' })
  }
  return { ...console, draw, text, over }
}

describe('the fold in the console', () => {
  it('shows the chain of the viewed agent’s base: links, what is tested, who is out', async () => {
    const console = watching()
    console.over(other.id)
    console.type('f')
    expect(console.text()).toContain('Asking what the open pull requests come to')
    await console.settled()
    expect(console.calls).toContain('the person: fold {}')
    const rows = console.draw().map((row) => row.trimEnd())
    expect(rows).toContain('Fold of main · 6s ago · R reads it again')
    expect(rows).toContain('main at abcdef01: red: who makes it so is being looked for, for 9s')
    expect(console.text()).toMatch(/#1 +Sort the list +a1 +✓ green +abcdef01 +7s/)
    expect(console.text()).toMatch(/#2 +Rename it +a2 +● testing/)
    expect(rows).toContain('● #1 + #2: 3s of about 1m')
    expect(rows).toContain('✗ #3 Break it is out for 5s: red together with #1 Sort the list')
    expect(console.text()).not.toContain('Below the lead')
    expect(rows).toContain('Of 1 more: `exomonad fold`, or /fold AGENT')
  })

  it('shows a lead both where its work goes and what comes to it', async () => {
    const console = watching()
    console.line(`/fold ${lead.name}`)
    await console.settled()
    expect(console.text()).toContain('Fold of main, main.lead')
    for (const title of ['Sort the list', 'Below the lead']) expect(console.text()).toContain(title)
  })

  it('reads it again, and goes back', async () => {
    let fold = documentOf(onMain)
    const console = watching(() => fold)
    console.over(other.id)
    console.type('f')
    await console.settled()
    fold = documentOf({ ...onMain, state: 'green', testing: [], ejected: [] })
    console.type('R')
    await console.settled()
    expect(console.text()).toContain('green together')
    expect(console.text()).not.toContain('is out for')
    console.type('q')
    expect(console.store.get().overlay).toBeNull()
    expect(console.quits()).toBe(0)
  })

  it('says that nothing is open, and why nothing is folded', async () => {
    let fold = documentOf(onLead)
    const console = watching(() => fold)
    console.over(other.id)
    console.type('f')
    await console.settled()
    expect(console.text()).toContain('Nothing is open')
    fold = { ...documentOf(), enabled: false, reason: 'it is off ([fold] enabled)' }
    console.type('R')
    await console.settled()
    expect(console.text()).toContain('Nothing is folded: it is off ([fold] enabled)')
  })

  it('says what went wrong, and keeps what was read before', async () => {
    let isDown = true
    const console = watching(() => {
      if (isDown) throw new ExomonadError('NOT_AVAILABLE', 'The daemon is about to end.')
      return documentOf(onMain)
    })
    console.over(other.id)
    console.type('f')
    await console.settled()
    expect(console.store.get().overlay).toBeNull()
    expect(console.text()).toContain('The daemon is about to end.')
    isDown = false
    console.type('f')
    await console.settled()
    isDown = true
    console.type('R')
    await console.settled()
    expect(console.text()).toContain('Sort the list')
  })

  it('shows nothing that comes when it was closed', async () => {
    const console = watching()
    console.over(other.id)
    console.type('f')
    console.press('escape')
    await console.settled()
    expect(console.store.get().overlay).toBeNull()
  })

  it('keeps to the size of the terminal', async () => {
    const console = watching()
    console.over(lead.id)
    console.type('f')
    await console.settled()
    fc.assert(
      fc.property(
        fc.integer({ min: 40, max: 200 }),
        fc.integer({ min: 10, max: 50 }),
        (columns, height) => {
          const rows = console.draw(columns, height)
          expect(rows).toHaveLength(height)
          for (const row of rows) expect(displayWidth(row)).toBeLessThanOrEqual(columns)
        },
      ),
    )
  })
})
