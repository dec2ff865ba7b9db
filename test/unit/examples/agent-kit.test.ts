import { EventEmitter } from 'node:events'
import { describe, expect, it } from 'vitest'

/**
 * The demo’s agents are plain JavaScript, run as programs; here their parts are tried by
 * themselves.
 */
const kit = async (name: string): Promise<any> =>
  import(new URL(`../../../examples/agents/kit/${name}.js`, import.meta.url).href)

describe('the terminal of a scripted agent', () => {
  const open = async (): Promise<{
    terminal: any
    type: (text: string | Buffer) => void
    interrupted: () => number
  }> => {
    const input = Object.assign(new EventEmitter(), { isTTY: false, pause() {} })
    let interrupts = 0
    const { openTerminal } = await kit('terminal')
    const terminal = openTerminal({
      input,
      output: { write() {} },
      onInterrupt: () => interrupts++,
    })
    return {
      terminal,
      type: (text) => input.emit('data', Buffer.from(text)),
      interrupted: () => interrupts,
    }
  }

  it('takes a bracketed paste and Enter as one message, whatever the reads cut in two', async () => {
    const whole = Buffer.from(
      '\x1b[200~[NOTE] ünï: `$(x)`\rsecond line\n[m-0123456789ab]\x1b[201~\r',
    )
    for (let cut = 1; cut < whole.length; cut++) {
      const { terminal, type } = await open()
      type(whole.subarray(0, cut))
      type(whole.subarray(cut))
      expect(terminal.take()).toBe('[NOTE] ünï: `$(x)`\nsecond line\n[m-0123456789ab]')
      expect(terminal.take()).toBe(null)
    }
  })

  it('waits for Enter, hands messages over in order, and ends with its input', async () => {
    const { terminal, type } = await open()
    const next = terminal.next()
    type('hello')
    type('\x1b[Ax\x7f\r')
    expect(await next).toBe('hello')
    type('a\rb\r')
    expect([await terminal.next(), await terminal.next()]).toEqual(['a', 'b'])
  })

  it('reports Ctrl-C', async () => {
    const { type, interrupted } = await open()
    type('\x03')
    expect(interrupted()).toBe(1)
  })
})

describe('what a scripted agent reads', () => {
  it('splits a message into its texts and finds the ids to confirm', async () => {
    const { parseMessage } = await kit('message')
    const { ids, items } = parseMessage(
      '[PR READY] #3 "x" of a can be merged.\nRead it.\n\n[QUESTION] duration (q-0a1b2c3d): What?\n\ngot mail from 0190 (b); call check_mail\n[m-0123456789ab m-ba9876543210]',
    )
    expect(ids).toEqual(['m-0123456789ab', 'm-ba9876543210'])
    expect(items.map(({ tag }: any) => tag)).toEqual(['PR READY', 'QUESTION', 'MAIL'])
    expect(items[0].number).toBe(3)
    expect(items[1].question).toBe('q-0a1b2c3d')
  })

  it('finds the line comments of a review', async () => {
    const { lineComments } = await kit('message')
    expect(
      lineComments(
        '[REVIEW] time requests changes\n- src/interval.ts:15: Use toSorted().\n- src/interval.ts:16: Compare with ===.',
      ),
    ).toEqual([
      { path: 'src/interval.ts', line: 15, comment: 'Use toSorted().' },
      { path: 'src/interval.ts', line: 16, comment: 'Compare with ===.' },
    ])
  })

  it('numbers the added lines of a diff as in the new file', async () => {
    const { addedLines } = await kit('diff')
    const diff =
      'diff --git a/src/a.ts b/src/a.ts\n--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1,3 +1,4 @@\n one\n-two\n+zwei\n+++i\n three\n@@ -9 +10,2 @@\n nine\n+ten\n'
    expect(addedLines(diff)).toEqual([
      { path: 'src/a.ts', line: 2, text: 'zwei' },
      { path: 'src/a.ts', line: 3, text: '++i' },
      { path: 'src/a.ts', line: 11, text: 'ten' },
    ])
  })

  it('gets its order back from the prompt it is in', async () => {
    const { promptFor, orderIn } = await kit('order')
    const order = {
      title: 'T',
      task: 'Do ``` it',
      work: [{ edit: 'a', find: 'x\n', put: '`${y}`' }],
    }
    expect(orderIn(`You are in a worktree.\n\n${promptFor(order)}\nMore guidance.`)).toEqual(order)
  })
})
