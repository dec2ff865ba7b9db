import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { asAgent } from '../gemini-person.ts'
import {
  findChat,
  forInheritance,
  parseChat,
  tookPrompt,
  usageOf,
} from '../../../../../src/adapters/agent-cli/gemini/transcript.ts'

/** Recorded of 0.61.0; its introduction is shortened. */
const recorded = (name: string): string =>
  readFileSync(
    join(import.meta.dirname, '..', '..', '..', '..', 'fixtures', 'gemini', `${name}.jsonl`),
    'utf8',
  )
const chatOf = (content: string) => parseChat(content) ?? expect.fail('that is a chat')

describe('a conversation of Gemini CLI', () => {
  it('reports which ids of messages the model was given, by prompts, hooks and results of tools', async () => {
    const { cli, live } = asAgent(recorded('hooks'))
    expect(
      await cli.mentions?.(live, ['m-start', 'm-before', 'm-aftertool', 'm-block', 'm-other']),
    ).toEqual(new Set(['m-start', 'm-before', 'm-aftertool', 'm-block']))
  })

  it('has not what a person broke off before the model said anything', async () => {
    const { cli, live } = asAgent(recorded('broken-off'))
    expect(await cli.mentions?.(live, ['play:held', 'play:say'])).toEqual(new Set(['play:say']))
  })

  it('counts its tokens once for each turn, and not what it inherited', () => {
    expect(usageOf(chatOf(recorded('hooks')))).toEqual({
      models: { 'gemini-2.5-flash': { input: 3000, output: 150, cacheRead: 0, cacheWrite: 0 } },
    })
    expect(usageOf(chatOf(recorded('forked')))).toEqual({
      models: { 'gemini-2.5-flash': { input: 1000, output: 50, cacheRead: 0, cacheWrite: 0 } },
    })
  })

  it('counts what came from the cache apart from the rest of the prompt, and thoughts as output', () => {
    const header = '{"sessionId":"s","startTime":"2026-01-01T00:00:00Z"}'
    const turn =
      '{"id":"1","type":"gemini","timestamp":"2026-01-01T00:01:00Z","model":"m","tokens":{"input":900,"output":10,"cached":600,"thoughts":5,"tool":1}}'
    expect(usageOf(chatOf(`${header}\n${turn}\n`))).toEqual({
      models: { m: { input: 301, output: 15, cacheRead: 600, cacheWrite: 0 } },
    })
  })

  it('is read while a line is being written, and is none where it is something else', () => {
    const content = recorded('hooks')
    expect(chatOf(content.slice(0, -30)).sessionId).toBe(chatOf(content).sessionId)
    for (const other of [
      '',
      'no JSON\n',
      '{"type":"user"}\n',
      '[]\n',
      `${'['.repeat(5000)}${']'.repeat(5000)}\n`,
    ])
      expect(parseChat(other)).toBeNull()
  })

  it('knows whether it was asked anything', () => {
    const [header = '', introduction = ''] = recorded('hooks').split('\n')
    expect(tookPrompt(chatOf(`${header}\n${introduction}\n`))).toBe(false)
    expect(tookPrompt(chatOf(recorded('hooks')))).toBe(true)
  })

  it('is passed on with each result of a tool once', () => {
    const inherited = forInheritance(recorded('hooks'))
    const results = (content: string) =>
      content
        .split('\n')
        .filter(
          (line) =>
            line.includes('"type":"user"') &&
            line.startsWith('{"id"') &&
            line.includes('hi-from-shell'),
        )
    expect(results(recorded('hooks')).length).toBeGreaterThan(results(inherited).length)
    expect(inherited).toContain('hi-from-shell')
    expect(chatOf(inherited).sessionId).toBe(chatOf(recorded('hooks')).sessionId)
  })

  it('is found by its session’s id, the file that holds it and not the one it was left for', async () => {
    const home = realpathSync(mkdtempSync(join(tmpdir(), 'gemini-')))
    onTestFinished(() => rmSync(home, { recursive: true, force: true }))
    const chats = join(home, '.gemini', 'tmp', 'auth', 'chats')
    mkdirSync(chats, { recursive: true })
    const { sessionId } = chatOf(recorded('hooks'))
    const file = join(chats, `session-2026-11-22T01-33-${sessionId.slice(0, 8)}.jsonl`)
    writeFileSync(file, recorded('hooks'))
    writeFileSync(
      join(chats, `session-2026-11-22T01-34-${sessionId.slice(0, 8)}.jsonl`),
      `${recorded('hooks').split('\n').slice(0, 2).join('\n')}\n`,
    )
    expect(await findChat(home, sessionId)).toBe(file)
    expect(await findChat(home, '00000000-0000-4000-8000-000000000000')).toBeNull()
    expect(await findChat(join(home, 'nowhere'), sessionId)).toBeNull()
  })
})

describe('a look at Gemini CLI', () => {
  it('is read from the title, once it has taken its task', async () => {
    const asked = asAgent(recorded('hooks'))
    expect(await asked.cli.observe?.({ ...asked.live, title: '◇  Ready (auth)' })).toMatchObject({
      state: 'idle',
    })
    // Nothing may be typed before it says anything, but where the terminal does not show it, hooks
    // and the box for prompts do.
    expect(await asked.cli.observe?.({ ...asked.live, title: null })).toMatchObject({
      state: 'unknown',
    })
    expect(await asked.cli.observe?.({ ...asked.live, title: undefined })).toBeNull()
    expect(
      await asked.cli.observe?.({ ...asked.live, title: '✋  Action Required (auth)' }),
    ).toMatchObject({ state: 'waiting' })
    // At the question how to sign in its title says Ready as well.
    const fresh = asAgent(`${recorded('hooks').split('\n').slice(0, 2).join('\n')}\n`)
    for (const title of ['◇  Ready (auth)', undefined])
      expect(await fresh.cli.observe?.({ ...fresh.live, title })).toMatchObject({
        state: 'unknown',
      })
  })

  it('reports nothing of a conversation that can’t be read', async () => {
    const { cli, live } = asAgent(null)
    expect(await cli.mentions?.(live, ['m-start'])).toBeNull()
    expect(await cli.usage?.(live)).toBeNull()
  })
})
