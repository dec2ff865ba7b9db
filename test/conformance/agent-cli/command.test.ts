import { describe, expect, it } from 'vitest'
import { createCommandCli } from '../../../src/adapters/agent-cli/command.ts'
import { PLACEHOLDERS } from '../../../src/config/check.ts'
import { agentSchema } from '../../../src/config/sections/agent-schema.ts'
import { agentCliConformance, launchRequest } from './suite.ts'

const create = (config: object, path = '/bin', home = '/home') =>
  createCommandCli({
    name: 'script',
    config: agentSchema.parse(config),
    path,
    node: '/opt/node',
    home,
  })

agentCliConformance('command', {
  handlesLongPrompts: false,
  program: 'my-agent',
  create: ({ path, home }) =>
    create({ adapter: 'command', command: ['my-agent', '{{prompt_file}}'] }, path, home),
})

describe('the command adapter', () => {
  it('fills every placeholder that the configuration allows', async () => {
    const command = ['agent', ...PLACEHOLDERS.map((name) => `${name}={{${name}}}`)]
    const request = launchRequest({ session: { id: 'session-1', transcript: '/transcripts/1' } })
    const { argv } = await create({ adapter: 'command', command }).plan(request)
    expect(argv.slice(1)).toEqual([
      `prompt=${request.prompt}`,
      `prompt_file=${request.promptFile}`,
      `worktree=${request.worktree}`,
      `branch=${request.branch}`,
      `name=${request.name}`,
      `agent_id=${request.agentId}`,
      `role=${request.role}`,
      'session_id=session-1',
      'transcript=/transcripts/1',
      'node=/opt/node',
    ])
  })

  it('never takes a task for a template', async () => {
    const { argv } = await create({ adapter: 'command', command: ['agent', '{{prompt}}'] }).plan(
      launchRequest({ prompt: 'Print {{agent_id}} and {{prompt}}' }),
    )
    expect(argv).toEqual(['agent', 'Print {{agent_id}} and {{prompt}}'])
  })

  it('uses the resume command where there is one', async () => {
    const request = launchRequest({ mode: 'resume' })
    const own = await create({
      adapter: 'command',
      command: ['agent'],
      resume_command: ['agent', '--again'],
    }).plan(request)
    expect([own.argv, own.session]).toEqual([['agent', '--again'], 'resumed'])
    const plain = await create({ adapter: 'command', command: ['agent'] }).plan(request)
    expect([plain.argv, plain.session]).toEqual([['agent'], 'fresh'])
  })

  it('takes a path relative to the repository, and the daemon’s own Node', async () => {
    expect(
      (await create({ adapter: 'command', command: ['{{node}}', 'agent.js'] }).locate()).kind,
    ).toBe('found')
    expect(
      await create(
        { adapter: 'command', command: ['./scripts/agent'] },
        '/bin',
        '/nowhere',
      ).locate(),
    ).toMatchObject({ kind: 'missing' })
  })
})
