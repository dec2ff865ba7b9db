import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { displayWidth } from '../../../src/surfaces/text/width.ts'
import { openConsole, type Console, type ConsoleOptions } from '../../helpers/console.ts'
import { describeWith } from '../../helpers/terminals/require-tool.ts'
import { startShowing, type Showing } from '../../helpers/terminals/showing.ts'
import { waitFor } from '../../helpers/wait-for.ts'

/**
 * The screen that a person drives the tree from, in a real terminal: what it shows, at every size,
 * and what it lets through.
 */
describeWith(['tmux'], 'the console', () => {
  let showing: Showing
  const open = async (options: ConsoleOptions = {}): Promise<Console> => {
    const opened = await openConsole(showing.tree, options)
    onTestFinished(() => opened.close())
    return opened
  }
  const start = async (...names: readonly string[]): Promise<void> => {
    const { errors } = await showing.tree.call('spawn_workers', {
      specs: names.map((name) => ({ name, prompt: 'Show what you have.' })),
    })
    expect(errors).toEqual([])
  }

  beforeAll(async () => {
    showing = await startShowing()
    await start('quiet', 'pages', 'unicode', 'control')
  })
  afterAll(async () => {
    await showing?.stop()
  })

  it.each([
    [80, 24],
    [200, 50],
  ])(
    'shows an agent, hands over what is typed once, and gives the terminal back (%i×%i)',
    async (columns, rows) => {
      const screen = await open({ columns, rows, args: ['quiet'] })
      await screen.until('the agent', (text) => text.includes('quiet is here'))
      expect((await screen.rows())[0]).toContain('quiet')
      const word = `good morning in ${columns} columns`
      await screen.line(word)
      await screen.until('the answer', (text) =>
        text.includes(`input: [MESSAGE] from the human: ${word}`),
      )
      expect(showing.typed('quiet').filter((line) => line.includes(word))).toEqual([
        `[MESSAGE] from the human: ${word}`,
      ])
      expect(await screen.rows()).toHaveLength(rows)
      await screen.key('C-d')
      expect(await screen.ended()).toBe(0)
      expect(await screen.pane('#{alternate_on} #{cursor_flag} #{mouse_any_flag}')).toBe('0 1 0')
      const shell = await screen.screen()
      expect(shell).toContain('before the console')
      expect(shell).not.toContain('quiet is here')
      expect(shell).toMatch(/(?<!-)icanon/)
      expect(shell).toMatch(/(?<!-)\becho\b/)
    },
  )

  it('fits every size that the terminal is given, and keeps what was half typed', async () => {
    const screen = await open({ columns: 80, rows: 24, args: ['pages'] })
    await screen.until('the end of the output', (text) => text.includes('page line 300'))
    await screen.type('half a thought')
    for (const [columns, rows] of [
      [200, 50],
      [60, 12],
      [20, 5],
      [100, 30],
      [80, 24],
    ] as const) {
      await screen.resize(columns, rows)
      await screen.until(`${columns}×${rows}`, (text) => {
        const lines = text.replace(/\n$/, '').split('\n')
        // As many lines of the output as there is room for, the latest at the end, and the input
        // line below.
        const shown = lines.filter((line) => /^page line \d+$/.test(line.trim()))
        const input = lines.at(-1) ?? ''
        if (rows < 10) return input.includes('half')
        return (
          shown.at(-1)?.trim() === 'page line 300' &&
          shown.length >= rows - 8 &&
          lines.some((line) => line.includes('half a thought')) &&
          lines[0]?.includes('pages') === true
        )
      })
    }
    expect(showing.typed('pages')).toEqual([])
  })

  it('scrolls back page by page, and to the end again', async () => {
    const screen = await open({ args: ['pages'] })
    await screen.until('the end of the output', (text) => text.includes('page line 300'))
    await screen.key('PageUp', 'PageUp')
    const above = await screen.until(
      'older lines',
      (text) => !text.includes('page line 300') && /page line 2\d\d/.test(text),
    )
    expect(above).toMatch(/page line 2[0-9]\d/)
    await screen.key('PageDown', 'PageDown', 'PageDown')
    await screen.until('the end again', (text) => text.includes('page line 300'))
  })

  it('wraps wide characters by their columns, and edits them whole', async () => {
    const screen = await open({ columns: 80, rows: 40, args: ['unicode'] })
    const shown = await screen.until('the text', (text) => text.includes('漢漢漢'))
    const lines = shown.split('\n').map((line) => line.trimEnd())
    for (const line of [
      'ascii twelve|',
      '漢字かな漢字|',
      '한국어 글자 |',
      '🐙🐙🐙🐙🐙🐙|',
      'über äöüß 12|',
    ])
      expect(lines).toContain(line)
    expect(lines).toContain('ne\u0301 combine\u0301e|')
    const wrapped = lines.filter((line) => /^漢{3,}$/.test(line))
    expect(wrapped.join('')).toHaveLength(100)
    for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(80)
    // Not in the middle of a redraw.
    const before = await waitFor('the cursor behind the prompt', async () => {
      const [x, y] = (await screen.pane('#{cursor_x} #{cursor_y}')).split(' ').map(Number)
      return (await screen.rows())[y ?? 0]?.trimEnd() === '›' && x === displayWidth('› ') && x
    })
    await screen.type('漢字🐙x')
    await screen.until('the typed text', (text) => text.includes('漢字🐙x'))
    await waitFor(
      'the cursor behind seven columns',
      async () => Number(await screen.pane('#{cursor_x}')) === before + 7,
    )
    await screen.key('BSpace', 'BSpace', 'Left')
    await waitFor(
      'the cursor between the two',
      async () => Number(await screen.pane('#{cursor_x}')) === before + 2,
    )
    await screen.type('と')
    await screen.key('Enter')
    await waitFor('the message', () =>
      showing.typed('unicode').some((line) => line.endsWith('漢と字')),
    )
  })

  it('lets nothing of an agent drive the terminal, neither living nor dead', async () => {
    await showing.tree.call(
      'note',
      { message: '\u001b]0;stolen title\u0007\u001b[2Jstolen note' },
      { as: 'control' },
    )
    const screen = await open({ args: ['control'] })
    await screen.until('its text', (text) => text.includes('safe end'))
    await screen.line('/inbox')
    await screen.until('its note', (text) => text.includes('stolen note'))
    await screen.key('Escape')
    await showing.tree.call('kill', { agent: 'control' })
    await screen.until('that it is dead', (text) => text.includes('killed'))
    const raw = screen.raw()
    // 52: clipboard. 8: links. P, _, ^: strings to the terminal. 6n, c, 21t: questions that it
    // answers by typing.
    for (const stolen of [
      ']0;',
      ']2;',
      ']52;',
      'stolen.invalid',
      '\u001bP',
      '\u001b_',
      '\u001b^',
      '\u001b[6n',
      '\u001b[c',
      '\u001b[21t',
      '\u001b[3;60H',
      '\u001b[?1000h',
      '\u0007',
      '\u001b#8',
      '\u001bc',
    ])
      expect(raw, JSON.stringify(stolen)).not.toContain(stolen)
    // As UTF-8: C1 controls, and the override of the direction.
    expect(raw).not.toMatch(/\u00c2[\u0080-\u009f]/)
    expect(raw).not.toContain('\u00e2\u0080\u00ae')
    expect(await screen.pane('#{pane_title} #{mouse_any_flag}')).not.toMatch(/stolen| 1$/)
  })

  it('stays usable while an agent floods its terminal', async () => {
    await start('flood')
    onTestFinished(async () => void (await showing.tree.call('kill', { agent: 'flood' })))
    const screen = await open({ args: ['flood'] })
    const latest = (text: string): number =>
      Number([...text.matchAll(/flood (\d+) of many/g)].at(-1)?.[1] ?? 0)
    const first = latest(await screen.until('the flood', (text) => latest(text) > 0))
    await screen.type('typed under the flood')
    await screen.until(
      'what was typed',
      (text) => text.includes('typed under the flood') && latest(text) > first,
    )
    await screen.key('C-u')
    await screen.until('an empty line', (text) => !text.includes('typed under the flood'))
    await screen.line('/go quiet')
    await screen.until(
      'another agent',
      (text) => text.includes('quiet is here') && !text.includes('of many'),
    )
    await screen.line('said under the flood')
    await waitFor('it to arrive', () =>
      showing.typed('quiet').some((line) => line.includes('said under the flood')),
    )
    await screen.line('/go flood')
    await screen.until('the flood again', (text) => latest(text) > first)
  })

  it('runs where the CI variable is set', async () => {
    const screen = await open({ args: ['quiet'], env: { CI: 'true' } })
    await screen.until('the agent', (text) => text.includes('quiet is here'))
    await screen.type('abc')
    await screen.until('what is typed', (text) => text.includes('abc'))
    await screen.key('C-c')
    await screen.until('an empty line', (text) => !text.includes('abc'))
    await screen.line('/quit')
    expect(await screen.ended()).toBe(0)
  })
})
