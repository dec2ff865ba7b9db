import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { specsOf } from '../../../../docs/generator/tool-specs.ts'
import { COMMANDS } from '../../../../src/surfaces/cli/commands.ts'
import type { CliContext } from '../../../../src/surfaces/cli/context.ts'
import { buildProgram } from '../../../../src/surfaces/cli/program.ts'
import { commandOf, type ToolTerminal } from '../../../../src/surfaces/cli/tool-command.ts'
import { SPECS } from '../../../../src/surfaces/cli/tool-specs.ts'
import { toolNamed } from '../../../../src/tools/all.ts'
import {
  defineTool,
  type AnyTool,
  type ToolCommand,
  type ToolContext,
} from '../../../../src/tools/define.ts'
import { prComments } from '../../../fixtures/tools/pr-comments.ts'
import { fakeRun, type FakeOptions } from './fake-context.ts'

/** The words of a line as a shell has them, up to what it does with the output. */
const wordsOf = (line: string): string[] =>
  [
    ...line
      .split(/ [<|>]/, 1)
      .join('')
      .matchAll(/"([^"]*)"|(\S+)/g),
  ].map(([, quoted, plain]) => quoted ?? plain ?? '')

const pulls = { pull_requests: [{ number: 3, agent: 'auth', head_branch: 'x', state: 'open' }] }
const UNANSWERED = 'It was called, and that is all.'

describe('the commands of tools', () => {
  const examples = Object.entries(SPECS).flatMap(([name, spec]) =>
    spec.examples.map((example) => ({ name, example, tool: spec.tool })),
  )

  it.each(examples)('$name takes `$example`, and calls its tool as that may be', async (one) => {
    const words = wordsOf(one.example.slice(one.example.indexOf('exomonad ') + 9))
    expect(words.join(' ')).toMatch(new RegExp(`^${one.name}( |$)`))
    const module = await COMMANDS.find(({ name }) => name === words[0])?.load()
    const unanswered = new Proxy(
      { pr_list: () => pulls },
      {
        get: (answers, tool) =>
          Reflect.get(answers, tool) ?? (() => Promise.reject(new Error(UNANSWERED))),
      },
    )
    const { run, calls } = fakeRun(module!, { tools: unanswered, json: true, input: 'From a file' })
    await run(...words.slice(1)).catch((error: Error) => expect(error.message).toBe(UNANSWERED))
    const called = calls.at(-1)
    expect([one.tool, `${one.tool}_capture`]).toContain(called?.tool)
    expect(
      toolNamed(called?.tool ?? '')
        ?.input.strict()
        .safeParse(called?.input).error,
    ).toBe(undefined)
  })

  it('are all in the program', async () => {
    const program = await buildProgram({ version: '0' } as CliContext)
    for (const [name, { summary }] of Object.entries(SPECS)) {
      const command = name
        .split(' ')
        .reduce(
          (above, word) => above.commands.find((one) => one.name() === word) ?? above,
          program,
        )
      expect(command.description(), name).toBe(summary)
    }
  })
})

/** A tool with a field of each kind, of which no surface knows. */
const fields = {
  name: z.string().min(1),
  text: z.string().optional(),
  count: z.number().int().min(1).default(7).describe('How many'),
  wait: z.number().optional().describe('How long'),
  kind: z.enum(['one', 'two']).default('one').describe('Which'),
  all: z.boolean().default(false).describe('All of them'),
  tags: z.array(z.string()).optional().describe('Names'),
  facts: z.record(z.string(), z.string()).optional().describe('Facts'),
}
const command: ToolCommand<keyof typeof fields> = {
  name: 'try',
  summary: 'Try it',
  fields: {
    name: '<name>  A name',
    text: '[text...]  Words',
    count: '-n, --count <number>',
    wait: '--wait-for <duration>',
    kind: '--kind <kind>',
    all: '--all',
    tags: '--tag <tag>',
    facts: '--fact <key=value>  Further ones',
  },
  examples: ['exomonad try it'],
}
const tryIt = defineTool({
  name: 'try_it',
  description: 'Tries.',
  audience: ['human'],
  listed: false,
  input: z.object(fields),
  output: z.object({ tried: z.string() }),
  command,
  handler: async (_context, { name }) => ({ tried: name }),
})

describe('a tool’s command', () => {
  const running = (
    options: Partial<FakeOptions> = {},
    terminal: ToolTerminal<'kill', 'twice'> = {},
    tool: AnyTool = tryIt,
  ) => {
    const [, spec] = specsOf(tool)[0]!
    const tools = { [tool.name]: () => ({ killed: ['a'] }), pr_list: () => pulls }
    return fakeRun(commandOf(spec, terminal), { tools, ...options })
  }
  const inputOf = async (...words: string[]): Promise<unknown> => {
    const { run, calls } = running()
    await run(...words)
    return calls[0]?.input
  }

  it('reads each field by its type, and leaves the rest to the defaults of the schema', async () => {
    const defaults = { count: 7, kind: 'one', all: false }
    expect(await inputOf('x')).toEqual({ ...defaults, name: 'x' })
    const options = '-n 3 --wait-for 5m --kind two --all --tag a --tag b --fact k=v --fact q=a=b'
    expect(await inputOf('x', 'some', 'words', ...options.split(' '))).toEqual({
      name: 'x',
      text: 'some words',
      count: 3,
      wait: 300,
      kind: 'two',
      all: true,
      tags: ['a', 'b'],
      facts: { k: 'v', q: 'a=b' },
    })
  })

  it('reads a text from standard input for -', async () => {
    const { run, calls } = running({ input: 'one\ntwo\n' })
    await run('x', '-')
    expect(calls[0]?.input).toMatchObject({ text: 'one\ntwo' })
  })

  it.each([
    [['-n', 'many'], '--count many: expected a whole number.'],
    [['-n', '0'], '--count 0: expected at least 1.'],
    [['--wait-for', 'long'], '--wait-for long: expected seconds, or a duration'],
    [['--fact', 'k'], '--fact k: expected KEY=VALUE.'],
    [['--kind', 'three'], 'Allowed choices are one, two.'],
  ])('refuses %j before anything is asked of the daemon', async (words, message) => {
    const { run, calls } = running()
    await expect(run('x', ...words)).rejects.toThrow(message)
    expect(calls).toEqual([])
  })

  it('prints the result as JSON, or in the lines that are beside it', async () => {
    const plain = running()
    await plain.run('x')
    expect(JSON.parse(plain.said.out)).toEqual({ killed: ['a'] })
    const show = ({ killed }: { killed: string[] }) => [`Killed ${killed.join()}`]
    const words = running({}, { show })
    await words.run('x')
    expect(words.said.out).toBe('Killed a\n')
    const json = running({ json: true }, { show })
    await json.run('x')
    expect(JSON.parse(json.said.out)).toEqual({ killed: ['a'] })
  })

  it('fails where a part failed, and calls as its own flags say', async () => {
    const failed = running({}, { failed: ({ killed }) => killed.length === 1 })
    await failed.run('x')
    expect(failed.said.failed).toBe(true)
    const twice = running(
      {},
      {
        flags: { twice: '-2, --twice  Again' },
        call: async ({ client, input, flags }) => {
          if (flags.twice) await client.callTool('try_it', input)
          return client.callTool('try_it', input) as Promise<{ killed: string[] }>
        },
      },
    )
    await twice.run('x', '--twice')
    expect(twice.calls).toHaveLength(2)
  })

  it('is there with its file alone', async () => {
    const { run, calls } = running(
      { tools: { pr_comments: () => ({}), pr_list: () => pulls } },
      {},
      prComments,
    )
    await run('auth', '--all')
    expect(calls.at(-1)).toEqual({ tool: 'pr_comments', input: { pr_number: 3, all: true } })
    const of = (path: string, conversation: string) => ({ path, body: 'Why?', conversation })
    const show = async () => ({
      reviews: [{ comments: [of('a.ts', 'open'), of('b.ts', 'resolved')] }],
    })
    const context = { core: { pulls: { show } } } as unknown as ToolContext
    const answer = await prComments.handler(context, { pr_number: 3, all: false })
    expect(prComments.output.parse(answer)).toEqual({ comments: [{ path: 'a.ts', body: 'Why?' }] })
  })

  it('is as docs/contributing.md has it', () => {
    const top = join(import.meta.dirname, '..', '..', '..', '..')
    const page = readFileSync(join(top, 'docs', 'contributing.md'), 'utf8')
    const block = /^## A tool$[^]*?^```ts\n([^]*?)^```$/m.exec(page)?.[1]
    const fixture = readFileSync(join(top, 'test', 'fixtures', 'tools', 'pr-comments.ts'), 'utf8')
    expect(block).toBe(fixture.replaceAll('../../../src/tools/', '../'))
  })
})
