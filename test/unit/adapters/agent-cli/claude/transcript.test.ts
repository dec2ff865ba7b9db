import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { DeliveryId } from '../../../../../src/domain/ids.ts'
import { pointerTo } from '../../../../../src/delivery/outbox-message.ts'
import { createTranscripts } from '../../../../../src/adapters/agent-cli/claude/transcript.ts'

const OWN = '22222222-2222-4333-8444-555555555555'
const PARENT = '11111111-2222-4333-8444-555555555555'

/**
 * Lines of Claude Code 2.1.330, shortened to what is looked at. `session` where it was said first;
 * a fork’s copy says its own in `sessionId`.
 */
const lines = {
  prompt: (text: string) => ({
    type: 'user',
    message: { role: 'user', content: text },
    origin: { kind: 'human' },
    promptSource: 'typed',
    sessionId: OWN,
  }),
  result: (text: string) => ({
    type: 'user',
    message: {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: [{ type: 'text', text }] }],
    },
    sessionId: OWN,
  }),
  hook: (text: string) => ({
    type: 'attachment',
    attachment: {
      type: 'hook_additional_context',
      content: [text],
      hookName: 'PostToolUse:Bash',
      hookEvent: 'PostToolUse',
    },
    sessionId: OWN,
  }),
  queued: (text: string) => ({
    type: 'attachment',
    attachment: { type: 'queued_command', prompt: text },
    sessionId: OWN,
  }),
  said: (text: string, id = 'msg_1', output = 50, session = OWN, model = 'claude-opus-5-5') => ({
    type: 'assistant',
    message: {
      id,
      role: 'assistant',
      model,
      content: [{ type: 'text', text }],
      usage: {
        input_tokens: 1000,
        cache_creation_input_tokens: 20,
        cache_read_input_tokens: 300,
        output_tokens: output,
        service_tier: 'standard',
      },
    },
    session_id: session,
    sessionId: OWN,
  }),
}

function transcript(): {
  file: string
  write: (...entries: object[]) => void
  raw: (text: string) => void
} {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'claude-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, `${OWN}.jsonl`)
  writeFileSync(file, '')
  return {
    file,
    write: (...entries) =>
      appendFileSync(file, entries.map((entry) => `${JSON.stringify(entry)}\n`).join('')),
    raw: (text) => appendFileSync(file, text),
  }
}

const IDS = ['m-aaaaaaaaaaaa', 'm-bbbbbbbbbbbb', 'm-cccccccccccc', 'm-dddddddddddd'] as const

describe('messages in a transcript of Claude Code', () => {
  it('count where they reached the model: as a prompt, a tool’s result, a hook’s words or a queued prompt', async () => {
    const { file, write } = transcript()
    write(
      lines.prompt(`One [${IDS[0]}]`),
      lines.result(`Two [${IDS[1]}]`),
      lines.hook(`Three [${IDS[2]}]`),
      lines.queued(`Four [${IDS[3]}]`),
    )
    expect(await createTranscripts().mentions(file, [...IDS, 'm-ffffffffffff'])).toEqual(
      new Set(IDS),
    )
  })

  it('don’t count where the model speaks of them, or where they wait in a queue', async () => {
    const { file, write } = transcript()
    write(
      lines.said(`I wait for ${IDS[0]}`),
      { type: 'queue-operation', operation: 'enqueue', content: `Two [${IDS[1]}]` },
      { type: 'last-prompt', lastPrompt: IDS[2], sessionId: OWN },
    )
    expect(await createTranscripts().mentions(file, IDS)).toEqual(new Set())
  })

  it('don’t count where a typed line only points to them', async () => {
    const { file, write } = transcript()
    const pointer = (id: string) =>
      pointerTo(`A long message ${'x'.repeat(500)}`, [id as DeliveryId])
    write(
      lines.prompt(pointer(IDS[0])),
      lines.queued(pointer(IDS[1])),
      lines.prompt(pointer(IDS[2])),
      lines.hook(`A long message\n[${IDS[2]}]`),
    )
    expect(await createTranscripts().mentions(file, IDS)).toEqual(new Set([IDS[2]]))
  })

  it('don’t count where the program took the typed line for a paste', async () => {
    const { file, write } = transcript()
    const pointer = pointerTo(`A long message ${'x'.repeat(500)}`, [IDS[0] as DeliveryId])
    write(
      lines.prompt(`<pasted_content id="ab12">\n${pointer}\n</pasted_content>`),
      lines.prompt(`<pasted_content id="ab13">\nOne [${IDS[1]}]\n</pasted_content>`),
    )
    expect(await createTranscripts().mentions(file, IDS)).toEqual(new Set([IDS[1]]))
  })

  it('are found as they are written, a half-written line only when it is whole', async () => {
    const { file, write, raw } = transcript()
    const transcripts = createTranscripts()
    write(lines.prompt('Nothing yet'))
    expect(await transcripts.mentions(file, IDS)).toEqual(new Set())
    const line = JSON.stringify(lines.prompt(`ünïcödé 🐙 [${IDS[0]}]`))
    raw(line.slice(0, -10))
    expect(await transcripts.mentions(file, IDS)).toEqual(new Set())
    raw(`${line.slice(-10)}\n`)
    expect(await transcripts.mentions(file, IDS)).toEqual(new Set([IDS[0]]))
    raw('not JSON at all "type":"user"\n')
    write(lines.hook(IDS[1]))
    expect(await transcripts.mentions(file, IDS)).toEqual(new Set([IDS[0], IDS[1]]))
  })

  it('are found beyond the first megabyte', async () => {
    const { file, write } = transcript()
    for (let part = 0; part < 30; part++) write(lines.result('x'.repeat(100_000)))
    write(lines.prompt(IDS[0]))
    expect(await createTranscripts().mentions(file, IDS)).toEqual(new Set([IDS[0]]))
  })

  it('can’t be determined where there is no transcript', async () => {
    expect(await createTranscripts().mentions('/nowhere/at/all.jsonl', IDS)).toBeNull()
    expect(await createTranscripts().usage('/nowhere/at/all.jsonl', OWN)).toBeNull()
  })

  it('are read anew from a file that was replaced by a shorter one', async () => {
    const { file, write } = transcript()
    const transcripts = createTranscripts()
    write(lines.prompt(`${IDS[0]} ${'x'.repeat(1000)}`))
    await transcripts.mentions(file, IDS)
    writeFileSync(file, `${JSON.stringify(lines.prompt(IDS[1]))}\n`)
    expect(await transcripts.mentions(file, IDS)).toEqual(new Set([IDS[1]]))
  })
})

describe('usage in a transcript of Claude Code', () => {
  it('counts each answer once, however many lines it has, with what its last line says', async () => {
    const { file, write } = transcript()
    const transcripts = createTranscripts()
    write(lines.said('thinking', 'msg_1', 1), lines.said('words', 'msg_1', 50))
    write(lines.said('more', 'msg_2', 7, OWN, 'claude-haiku'))
    expect(await transcripts.usage(file, OWN)).toEqual({
      models: {
        'claude-opus-5-5': { input: 1000, output: 50, cacheRead: 300, cacheWrite: 20 },
        'claude-haiku': { input: 1000, output: 7, cacheRead: 300, cacheWrite: 20 },
      },
    })
    write(lines.said('on', 'msg_3'))
    expect((await transcripts.usage(file, OWN))?.models['claude-opus-5-5']).toEqual({
      input: 2000,
      output: 100,
      cacheRead: 600,
      cacheWrite: 40,
    })
  })

  it('leaves out what a fork inherited, and what the program itself put in the model’s mouth', async () => {
    const { file, write } = transcript()
    write(
      lines.said('of the parent', 'msg_1', 50, PARENT),
      lines.said('API Error', 'msg_2', 0, OWN, '<synthetic>'),
    )
    expect(await createTranscripts().usage(file, OWN)).toEqual({ models: {} })
  })

  it('counts the subagents of the program’s own', async () => {
    const { file, write } = transcript()
    write(lines.said('words'))
    const folder = join(file.replace('.jsonl', ''), 'subagents')
    mkdirSync(folder, { recursive: true })
    writeFileSync(
      join(folder, 'agent-ab20378c05fcf25e8.jsonl'),
      `${JSON.stringify(lines.said('of the subagent', 'msg_9', 5))}\n`,
    )
    expect((await createTranscripts().usage(file, OWN))?.models['claude-opus-5-5']?.output).toBe(55)
  })
})
