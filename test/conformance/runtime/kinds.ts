import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import type { Multiplexer, OpenPane } from '../../../src/adapters/terminals/holder.ts'
import { newAgentId, type AgentId, type PaneId } from '../../../src/domain/ids.ts'
import { createImplementation } from '../multiplexer/create.ts'

/**
 * How an agent may run: a program in a terminal, one on pipes, a session of the Agent Client
 * Protocol.
 */
export type RuntimeKind = 'pane' | 'process' | 'acp'

const SCRIPTED = fileURLToPath(new URL('../../fixtures/acp/scripted-agent.ts', import.meta.url))

/** The same in every process that is given the folder. */
export const createRuntime = (kind: RuntimeKind, folder: string): Multiplexer =>
  createImplementation(kind === 'pane' ? 'headless' : 'runner', folder)

/** What is sent to each, for the same to happen in all of them. */
export interface Words {
  say(text: string): string
  /** Leaves a process in a session of its own, whose command line has this word. */
  leave(word: string): string
  exit(code: number): string
}

const shell = `echo "$0"; while read -r verb rest; do case $verb in say) echo "$rest";; exit) exit "$rest";; leave) setsid sh -c 'sleep 1000; : '"$rest" </dev/null >/dev/null 2>&1 & ;; esac; done`

export const WORDS: Readonly<Record<RuntimeKind, Words>> = {
  pane: {
    say: (text) => `say ${text}`,
    leave: (word) => `leave ${word}`,
    exit: (code) => `exit ${code}`,
  },
  process: {
    say: (text) => `say ${text}`,
    leave: (word) => `leave ${word}`,
    exit: (code) => `exit ${code}`,
  },
  acp: {
    say: (text) => `say ${text}\\n`,
    leave: (word) => `child sleep 1000; : ${word}`,
    exit: (code) => `crash ${code}`,
  },
}

export interface Begun {
  readonly paneId: PaneId
  readonly pid: number
  readonly agentId: AgentId
}

/** Starts one that says `greeting` first of all: it is its prompt. */
export async function begin(
  kind: RuntimeKind,
  multiplexer: Multiplexer,
  folder: string,
  greeting: string,
): Promise<Begun> {
  const agentId = newAgentId()
  const spool = join(folder, 'spool')
  mkdirSync(spool, { recursive: true })
  const common = {
    agentId,
    name: 'agent',
    cwd: folder,
    env: { EXOMONAD_AGENT_ID: agentId },
    columns: 100,
    rows: 30,
  }
  const output = join(folder, `${agentId}.log`)
  const options: Readonly<Record<RuntimeKind, OpenPane>> = {
    pane: { ...common, argv: ['/bin/sh', '-c', shell, greeting] },
    process: {
      ...common,
      argv: ['/bin/sh', '-c', shell, greeting],
      program: { kind: 'process' },
      output,
    },
    acp: {
      ...common,
      argv: [process.execPath, SCRIPTED],
      output,
      program: {
        kind: 'acp',
        session: {
          ...{
            mcpServers: [],
            prompt: WORDS.acp.say(greeting),
            load: null,
            model: null,
            mode: null,
            permission: 'deny',
            allow: [],
            maxTurns: null,
          },
          ...{ root: folder, env: common.env },
          // Nobody is at home there: what it has to report waits in the spool.
          daemon: {
            socket: join(folder, 'no.sock'),
            authFile: join(folder, 'no.auth'),
            spool,
            stopTimeout: 5,
          },
        },
      },
    },
  }
  return { agentId, ...(await multiplexer.open(options[kind])) }
}
