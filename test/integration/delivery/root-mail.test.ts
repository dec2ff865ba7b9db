import { expect, it, onTestFinished } from 'vitest'
import { startExomonad } from '../../helpers/daemon.ts'
import { waitFor } from '../../helpers/wait-for.ts'

/** A root is a place: what it gets is the human’s where no program is in it. */

it('what a root has not read is in the human’s inbox, in its own words, when its program ends', async () => {
  const tree = await startExomonad()
  onTestFinished(() => tree.stop())
  tree.script('root', { steps: [{ do: 'file', path: 'never' }] })
  tree.script('lone', {
    steps: [{ do: 'tool', name: 'send', input: { to: 'main', message: 'The parser is odd.' } }],
  })
  await tree.call('up', { task: 'Lead' })
  await waitFor('its turn', async () => (await tree.tree()).root.state === 'running')
  await tree.call('spawn_workers', { specs: [{ name: 'lone', prompt: 'x' }] })
  await tree.call('send', { to: 'main', message: 'From a person.' })
  await tree.logged('lone', 'its mail', (entry) => entry['kind'] === 'tool')
  const messagesNow = async (): Promise<string[]> =>
    (await tree.call('inbox')).messages
      .filter(({ kind }: { kind: string }) => kind === 'message')
      .map(({ text }: { text: string }) => text)
  expect(await messagesNow()).toEqual([])

  const { pid } = (await tree.tree()).root
  process.kill(pid, 'SIGKILL')
  const messages = await waitFor('all of it in the inbox', async () => {
    const all = await messagesNow()
    return all.length >= 2 && all.toSorted()
  })
  expect(messages).toEqual([
    '[MESSAGE] from lone: The parser is odd.',
    '[MESSAGE] from the human: From a person.',
  ])
  expect((await tree.command(['inbox'])).stdout).not.toMatch(/meant for|has ended|check_mail/)
  // Whoever takes the one has taken the other.
  expect((await tree.call('check_mail')).messages).toMatchObject([
    { message: 'The parser is odd.' },
  ])
  expect(await messagesNow()).toEqual(['[MESSAGE] from the human: From a person.'])
})

it('what a person answers and says to a root that was stopped waits for its program', async () => {
  const tree = await startExomonad()
  onTestFinished(() => tree.stop())
  tree.script('root', {
    steps: [{ do: 'tool', name: 'question', input: { message: 'which port?', timeout: 0 } }],
  })
  await tree.call('up', { task: 'Lead' })
  await tree.logged('root', 'its question', (entry) => entry['kind'] === 'tool')
  await tree.call('down')
  await tree.call('answer_question', { agent: 'root', message: 'port 8080' })
  await tree.call('send', { to: 'root', message: 'Also the docs.' })
  expect((await tree.tree()).root.undelivered).toBe(2)

  tree.script('root', {})
  await tree.call('up')
  await tree.logged('root', 'the answer', ({ kind, text }) => {
    return kind === 'message' && String(text).includes('port 8080')
  })
  await tree.logged('root', 'what was said', ({ kind, text }) => {
    return kind === 'message' && String(text).includes('Also the docs.')
  })
})
