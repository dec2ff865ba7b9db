import { describe, expect, it } from 'vitest'
import {
  tasksFromArguments,
  tasksFromIssues,
  tasksFromText,
} from '../../../../../src/surfaces/cli/agents/spawn-tasks.ts'

describe('tasks from arguments', () => {
  it('takes name=prompt, with further equal signs in the prompt', () => {
    expect(tasksFromArguments(['auth=set a=b', 'docs = write '], undefined)).toEqual([
      { name: 'auth', prompt: 'set a=b' },
      { name: 'docs', prompt: 'write' },
    ])
  })
  it('shares --prompt among names, and says what is missing without it', () => {
    expect(tasksFromArguments(['a', 'b'], 'same')).toEqual([
      { name: 'a', prompt: 'same' },
      { name: 'b', prompt: 'same' },
    ])
    expect(() => tasksFromArguments(['a'], undefined)).toThrow(
      /“a” has no prompt: write it as a="what to do"/,
    )
  })
})

describe('tasks from issues (20.20a)', () => {
  it('are one for each number; a single task names a single issue and adds to it', () => {
    expect(tasksFromIssues(['42', '#43'], [])).toEqual([
      { issue: 42, name: '', prompt: '' },
      { issue: 43, name: '', prompt: '' },
    ])
    expect(tasksFromIssues(['42'], [{ name: 'login', prompt: 'Begin with a test.' }])).toEqual([
      { issue: 42, name: 'login', prompt: 'Begin with a test.' },
    ])
  })
  it('refuses what is no number, and what can’t be paired', () => {
    for (const word of ['login', '0', '-1', '4.2', 'name=do'])
      expect(() => tasksFromIssues([word], [])).toThrow(`“${word}” is none`)
    expect(() => tasksFromIssues(['42', '43'], [{ name: 'login', prompt: '' }])).toThrow(
      /issues: 2, tasks: 1/,
    )
  })
})

describe('tasks from a file', () => {
  it('reads TOML in every form', async () => {
    expect(
      await tasksFromText(
        'auth = "Build it"\n[docs]\nprompt = "Write"\nagent = "cheap"\n',
        'tasks.toml',
      ),
    ).toEqual([
      { name: 'auth', prompt: 'Build it' },
      { name: 'docs', prompt: 'Write', agent: 'cheap' },
    ])
    expect(
      await tasksFromText('[[tasks]]\nname = "auth"\nprompt = """\nBuild\nit\n"""\n', 'x.toml'),
    ).toEqual([{ name: 'auth', prompt: 'Build\nit' }])
  })
  it('reads JSON in every form, also without a name that says so', async () => {
    const expected = [{ name: 'a', prompt: 'b' }]
    for (const text of [
      '[{"name":"a","prompt":"b"}]',
      '{"specs":[{"name":"a","prompt":"b"}]}',
      '{"a":"b"}',
      '{"tasks":{"a":{"prompt":"b"}}}',
    ]) {
      expect(await tasksFromText(text, 'standard input')).toEqual(expected)
    }
  })
  it('reads Markdown: a heading per task, deeper headings and fenced ones belong to the prompt', async () => {
    const text =
      '# Auth layer\nBuild it.\n\n## Details\n```sh\n# not a task\n```\n\n# Docs\nWrite.\n'
    expect(await tasksFromText(text, 'standard input')).toEqual([
      { name: 'Auth layer', prompt: 'Build it.\n\n## Details\n```sh\n# not a task\n```' },
      { name: 'Docs', prompt: 'Write.' },
    ])
  })
  it.each([
    ['{"a": 3}', /task a: expected a table/],
    ['[{"name":"a"}]', /task 1: prompt is missing/],
    ['[{"name":"a","prompt":"b","promt":"c"}]', /unknown key promt; known: name, prompt/],
    ['[', /not valid JSON/],
    ['[]', /holds no task/],
    ['{"a":"  "}', /needs a name and a prompt/],
  ])('refuses %j with what is wrong', async (text, words) => {
    await expect(tasksFromText(text, 'tasks.json')).rejects.toThrow(words)
  })
})
