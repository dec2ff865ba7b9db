import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { LaunchRequest, LiveAgent } from '../../../../src/adapters/agent-cli/agent-cli.ts'
import { createGeminiCli } from '../../../../src/adapters/agent-cli/gemini/adapter.ts'
import { exec, type Exec } from '../../../../src/processes/exec.ts'
import { gemini } from '../../../../src/adapters/agent-cli/gemini/gemini.ts'
import { agentSchema } from '../../../../src/config/sections/agent-schema.ts'
import { newAgentId } from '../../../../src/domain/ids.ts'
import { launchRequest } from '../../../conformance/agent-cli/suite.ts'

const temporary = (): string => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'gemini-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Somebody with Gemini CLI and a home of their own. `files` are relative to it. */
export function person(
  options: {
    files?: Record<string, string>
    variables?: Record<string, string>
    config?: object
    program?: string
    exec?: Exec
  } = {},
) {
  const home = temporary()
  const program = join(home, 'bin', 'gemini')
  const write = (file: string, content: string): string => {
    const path = join(home, file)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, content)
    return path
  }
  write('bin/gemini', options.program ?? '#!/bin/sh\necho 0.61.0\n')
  chmodSync(program, 0o755)
  for (const [file, content] of Object.entries(options.files ?? {})) write(file, content)
  const cli = createGeminiCli({
    name: 'gemini',
    config: agentSchema.parse({ ...gemini.preset, ...options.config }),
    path: [dirname(program), '/usr/local/bin', '/usr/bin', '/bin'].join(':'),
    node: '/opt/node',
    home,
    userHome: home,
    variables: options.variables ?? { GEMINI_API_KEY: 'key' },
    exec: options.exec ?? exec,
  })
  const folder = join(home, 'agents', 'auth')
  const plan = async (facts: Partial<LaunchRequest> = {}) => {
    const made = await cli.plan(launchRequest({ folder, worktree: home, ...facts }))
    const file = (name: string): string | undefined =>
      made.files.find(({ path }) => path.endsWith(name))?.content
    return { ...made, file, settings: JSON.parse(file('.gemini/settings.json') ?? 'null') }
  }
  return { home, program, cli, folder, write, plan }
}

/** A running agent with this chat file. */
export function asAgent(chat: string | null) {
  const { cli, home, folder, write } = person()
  const transcript = chat === null ? null : write('chat.jsonl', chat)
  const live: LiveAgent = {
    agentId: newAgentId(),
    pid: 1,
    worktree: home,
    session: { id: '11111111-2222-4333-8444-555555555555', transcript },
    folder,
    channel: null,
    title: null,
  }
  return { cli, live }
}
