import { expect, it, onTestFinished } from 'vitest'
import { createHostedTerminal } from '../../../../../src/adapters/terminals/detached/hosted-terminal.ts'
import { createViewer } from '../../../../../src/adapters/terminals/detached/viewer.ts'
import { waitFor } from '../../../../helpers/wait-for.ts'

it('makes no frame for who has not taken those before, and then one that has it all', async () => {
  const terminal = createHostedTerminal({
    argv: ['/bin/cat'],
    cwd: '/',
    env: {},
    columns: 80,
    rows: 20,
    onOutput: () => viewer.refresh(),
  })
  onTestFinished(() => terminal.dispose())
  const frames: string[] = []
  let behind = true
  let asked = 0
  const viewer = createViewer({
    terminal,
    columns: 80,
    rows: 20,
    mouse: true,
    onFrame: (bytes) => frames.push(bytes),
    isBehind: () => ((asked += 1), behind),
  })
  onTestFinished(() => viewer.close())
  await terminal.type('one\r', { paste: false })
  await waitFor('it to be shown', async () => (await terminal.capture(0)).includes('one\none'))
  await waitFor('some looks more', () => asked > 5)
  expect(frames).toEqual([])
  behind = false
  await waitFor('a frame', () => frames.length > 0)
  expect(frames[0]).toMatch(/one.*one/s)
})
