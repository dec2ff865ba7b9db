import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startExomonad, type Exomonad } from '../../helpers/daemon.ts'
import { waitFor } from '../../helpers/wait-for.ts'

/**
 * Programs that show something else than their prompt, which nobody foresaw: what the real ones
 * show is in test/e2e.
 */

const PROGRAM = join(import.meta.dirname, '..', '..', 'fixtures', 'agents', 'dialogs.js')

const UNDER_RULE = `${'─'.repeat(40)}\n  Make rare mode your default?\n\n  ❯ Yes, always\n    No, keep mine`
const BOXED = `╭${'─'.repeat(38)}╮\n│ ? A potential circle was found       │\n│ ● 1. Keep on (esc)                   │\n│   2. Stop here                       │\n╰${'─'.repeat(38)}╯\n  ~/repo   no sandbox`
const BARE = 'May the file be read? [y/N] '
const WHOLE = Array.from({ length: 20 }, (_, line) => `Terms of use, line ${line + 1}`).join('\n')

interface Dialog {
  readonly screen: string
  readonly opens: 'start' | 'idle' | 'paste' | 'enter'
  readonly keeps?: 'box' | 'message'
  readonly says?: 'waiting'
}

/** What its last lines are known by, and how often its first message may be pasted. */
const DIALOGS: Record<string, Dialog & { readonly words: string; readonly pastes: number }> = {
  starts: { screen: BOXED, opens: 'start', words: 'A potential circle was found', pastes: 1 },
  'rests-boxed': { screen: BOXED, opens: 'idle', words: 'A potential circle was found', pastes: 1 },
  'rests-said': {
    screen: UNDER_RULE,
    opens: 'idle',
    says: 'waiting',
    words: 'Make rare mode your default?',
    pastes: 1,
  },
  'rests-whole': { screen: WHOLE, opens: 'idle', words: 'Terms of use, line 20', pastes: 1 },
  'pasted-kept': {
    screen: UNDER_RULE,
    opens: 'paste',
    keeps: 'box',
    words: 'keep mine',
    pastes: 1,
  },
  'pasted-lost': { screen: BARE, opens: 'paste', words: 'May the file be read?', pastes: 2 },
  'entered-read': {
    screen: BARE,
    opens: 'enter',
    keeps: 'message',
    words: 'May the file be read?',
    pastes: 1,
  },
  'entered-lost': { screen: BOXED, opens: 'enter', words: '2. Stop here', pastes: 2 },
}

let tree: Exomonad
beforeAll(async () => {
  tree = await startExomonad({ init: false })
  const config = join(tree.repository.path, '.exomonad', 'config.toml')
  const env = `env = { SCRIPTED_AGENTS = ${JSON.stringify(tree.scripts)}, CLAUDE_CONFIG_DIR = ${JSON.stringify(join(tree.repository.folder, 'claude'))} }`
  const agent = `[agents.shows]\nadapter = "claude"\ncommand = [${JSON.stringify(process.execPath)}, ${JSON.stringify(PROGRAM)}]\n${env}\n`
  writeFileSync(
    config,
    `${readFileSync(config, 'utf8')}\n${agent}[liveness]\nreconcile_every = 2\n`,
  )
  expect((await tree.command(['init', '--no-prepare-agents'])).code).toBe(0)
  for (const [name, dialog] of Object.entries(DIALOGS)) tree.script(name, dialog)
  tree.script('breaks', { breaks: 1 })
  const names = [...Object.keys(DIALOGS), 'plain', 'breaks']
  const { errors } = await tree.call('spawn_workers', {
    specs: names.map((name) => ({ name, prompt: `Do ${name}.`, agent: 'shows' })),
  })
  expect(errors).toEqual([])
  await all(
    names.filter((name) => name !== 'starts'),
    'idle',
  )
})
afterAll(() => tree.stop())

const all = (names: readonly string[], state: string) =>
  waitFor(`all to be ${state}`, async () => {
    const agents = await Promise.all(names.map((name) => tree.agent(name)))
    const others = agents
      .filter((agent) => agent?.state !== state)
      .map((agent) => `${agent?.name}: ${agent?.state} ${agent?.state_reason}`)
    if (others.length > 0) throw new Error(others.join(', '))
    return agents
  })
const logged = (name: string, kind: string, word: string): number =>
  tree.log(name).filter((entry) => entry['kind'] === kind && String(entry['text']).includes(word))
    .length

it('Enter that was taken for a line break is pressed again after a moment, not after the time in which a message is confirmed', async () => {
  await tree.call('send', { to: 'breaks', message: 'hello-there' })
  await tree.logged(
    'breaks',
    'the message',
    ({ kind, text }) => kind === 'message' && String(text).includes('hello-there'),
  )
  const at = (kind: string): number =>
    tree
      .log('breaks')
      .find((entry) => entry['kind'] === kind && String(entry['text']).includes('hello-there'))?.[
      'at'
    ]
  expect(at('message') - at('paste')).toBeLessThan(15_000)
  expect(logged('breaks', 'paste', 'hello-there')).toBe(1)
})

it('an agent before a dialog that nobody knows waits, which is reported once; nothing is typed into it, and all arrives once when it is gone', async () => {
  const names = Object.keys(DIALOGS)
  const resting = names.filter((name) => DIALOGS[name]?.opens === 'idle')
  const untyped = ['starts', ...resting]
  for (const name of resting) writeFileSync(join(tree.scripts, `${name}.open`), '')
  await Promise.all(
    resting.map((name) => tree.logged(name, 'its dialog', ({ kind }) => kind === 'open')),
  )
  for (const word of ['first', 'second'])
    for (const name of names) await tree.call('send', { to: name, message: `${word}-${name}` })
  const shown = async () => {
    for (const agent of await all(names, 'waiting'))
      expect(agent.state_reason).toContain(DIALOGS[agent.name]?.words)
  }
  await shown()
  const reported = async (): Promise<string[]> =>
    (await tree.call('inbox')).messages.map(({ text }: { text: string }) => text)
  const newAgentDefaults = async () => {
    for (const name of names) {
      const own = (await reported()).filter((text) => text.includes(`[WAITING] ${name} `))
      expect(own).toEqual([expect.stringContaining(DIALOGS[name]?.words ?? '')])
      expect(tree.log(name).filter(({ kind }) => kind === 'mistake')).toEqual([])
      expect(logged(name, 'paste', `first-${name}`)).toBe(untyped.includes(name) ? 0 : 1)
      expect(logged(name, 'paste', `second-${name}`)).toBe(0)
    }
  }
  await newAgentDefaults()

  await tree.crash()
  // One that shows its prompt gets what is for it: by then the others were looked at as well.
  await tree.call('send', { to: 'plain', message: 'after-the-kill' })
  await waitFor('its message', () => logged('plain', 'message', 'after-the-kill') === 1)
  await shown()
  await newAgentDefaults()

  for (const name of names) writeFileSync(join(tree.scripts, `${name}.close`), '')
  await waitFor('all to be read', () => {
    const missing = names.flatMap((name) =>
      ['first', 'second']
        .map((word) => `${word}-${name}`)
        .filter((text) => logged(name, 'message', text) !== 1),
    )
    if (missing.length > 0) throw new Error(missing.join(', '))
    return true
  })
  await all(names, 'idle')
  await waitFor('all to be confirmed', async () =>
    (await Promise.all(names.map((name) => tree.agent(name)))).every(
      ({ undelivered }) => undelivered === 0,
    ),
  )
  for (const name of names) {
    expect(tree.log(name).filter(({ kind }) => kind === 'mistake')).toEqual([])
    for (const word of ['first', 'second'])
      expect(logged(name, 'message', `${word}-${name}`)).toBe(1)
    expect(logged(name, 'paste', `first-${name}`)).toBeLessThanOrEqual(DIALOGS[name]?.pastes ?? 0)
    // It comes with the end of the turn of the first, or is typed after it.
    expect(logged(name, 'paste', `second-${name}`)).toBeLessThan(2)
  }
  const types = (await tree.events()).filter(
    ({ type }) => type === 'agent.waiting' || type === 'delivery.undecided',
  )
  expect(types.map(({ payload }) => payload.name).sort()).toEqual([...names].sort())
})
