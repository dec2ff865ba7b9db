import { describe, expect, it } from 'vitest'
import { canAsk, confirm } from '../../../../src/surfaces/cli/confirm.ts'
import type { CliContext } from '../../../../src/surfaces/cli/context.ts'

/** Somebody who types these, as far as the program sees it. */
function person(
  chunks: readonly string[],
  more: { stdin?: boolean; stderr?: boolean; json?: boolean; ci?: boolean } = {},
) {
  const written: string[] = []
  const context = {
    terminal: {
      stdin: Object.assign(
        (async function* () {
          yield* chunks
        })(),
        { isTTY: more.stdin ?? true },
      ),
      stderr: { isTTY: more.stderr ?? true, write: (text: string) => (written.push(text), true) },
    },
    options: () => ({ json: more.json ?? false }),
    environment: { ci: more.ci ?? false },
  } as unknown as CliContext
  return { context, written }
}

describe('a question on the terminal', () => {
  it.each([
    [['y\n'], true],
    [['Yes', '\r\n'], true],
    [['n\n'], false],
    [['\n'], false],
    [['yellow\n'], false],
    [['n\ny\n'], false],
    [[], false],
  ])('takes %j for %s', async (chunks, answer) => {
    const { context, written } = person(chunks)
    expect(await confirm(context, 'Do it?')).toBe(answer)
    expect(written).toEqual(['Do it? [y/N] '])
  })

  it('is followed by another one, with what was typed ahead or comes later', async () => {
    const { context } = person(['y\nn\n', 'y\n'])
    const answers = []
    for (const question of ['One?', 'Two?', 'Three?', 'Four?'])
      answers.push(await confirm(context, question))
    expect(answers).toEqual([true, false, true, false])
  })

  it('is asked only where a person sits', () => {
    expect(canAsk(person([]).context)).toBe(true)
    for (const more of [{ stdin: false }, { stderr: false }, { json: true }, { ci: true }])
      expect(canAsk(person([], more).context)).toBe(false)
  })
})
