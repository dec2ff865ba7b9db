import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { startExomonad, type Exomonad } from './daemon.ts'
import { waitFor } from './wait-for.ts'

export const SCRIPTED_ACP = fileURLToPath(
  new URL('../fixtures/acp/scripted-agent.ts', import.meta.url),
)

export interface AcpTree extends Exomonad {
  /** Spawns a worker whose prompt is these commands of the scripted agent, one a line. */
  worker(
    name: string,
    ...commands: string[]
  ): Promise<{ agent_id: string; worktree: string; branch: string }>
  /** What a message must look like for the scripted agent to do it. */
  order(...commands: string[]): string
  /** Waits for the agent to be in this state; returns its node. */
  becomes(name: string, state: string): Promise<any>
  /** All of what the host shows of it. */
  shown(name: string): Promise<string>
  /** Waits until it shows this beyond its input; returns all it shows. */
  shows(name: string, text: string): Promise<string>
  /** Returns a file name, and a command that waits until that file is there. */
  gate(name: string): { file: string; wait: string }
  /** The detached host’s own process. */
  hostPid(): number
  /** Processes that carry the agent’s mark. */
  processesOf(agentId: string): number[]
}

export interface AcpTreeOptions {
  readonly config?: string
  /** Further keys of [acp.scripted]. */
  readonly acp?: string
  /** What stands in the tables of the roles beside their agent. */
  readonly dev?: string
  readonly tl?: string
}

/**
 * The daemon with a tree whose workers are sessions of the Agent Client Protocol, by the scripted
 * agent; it ends with the test.
 */
export async function startAcpTree(options: AcpTreeOptions = {}): Promise<AcpTree> {
  const tree = await openAcpTree(options)
  onTestFinished(() => tree.stop())
  return tree
}

/** The same, for the caller to stop. */
export async function openAcpTree(options: AcpTreeOptions = {}): Promise<AcpTree> {
  const tree = await startExomonad({ init: false })
  const file = join(tree.repository.path, '.exomonad', 'config.toml')
  const command = [
    process.execPath,
    SCRIPTED_ACP,
    '--store',
    join(tree.repository.folder, 'sessions'),
  ]
  const role = (name: 'dev' | 'tl', text: string, more: string): string =>
    text.replace(`[roles.${name}]\nagent = "scripted"\n`, (whole) => `${whole}${more}`)
  const config = role(
    'tl',
    role('dev', readFileSync(file, 'utf8'), options.dev ?? 'runtime = "acp"\n'),
    options.tl ?? '',
  )
  writeFileSync(
    file,
    `${config}\n[acp.scripted]\ncommand = ${JSON.stringify(command)}\n${options.acp ?? ''}\n${options.config ?? ''}`,
  )
  const init = await tree.command(['init', '--no-prepare-agents'])
  if (init.code !== 0) throw new Error(`exomonad init: ${init.stdout}${init.stderr}`)

  const shown = async (name: string): Promise<string> =>
    (await tree.call('screen', { agent: name })).text
  const order = (...commands: string[]): string => ['script:', ...commands].join('\n')
  return {
    ...tree,
    order,
    shown,
    worker: async (name, ...commands) => {
      const { spawned, errors } = await tree.call('spawn_workers', {
        specs: [{ name, prompt: order(...commands) }],
      })
      if (errors.length > 0) throw new Error(JSON.stringify(errors))
      return spawned[0]
    },
    becomes: (name, state) =>
      waitFor(`${name} to be ${state}`, async () => {
        const node = await tree.agent(name)
        return node?.state === state
          ? node
          : Promise.reject(new Error(`it is ${node?.state}: ${node?.state_reason}`))
      }),
    shows: (name, text) =>
      waitFor(`${name} to show ${text}`, async () => {
        const screen = await shown(name)
        return beyondPrompts(screen).includes(text)
          ? screen
          : Promise.reject(new Error(screen.slice(-500)))
      }),
    gate: (name) => {
      const gate = join(tree.scripts, name)
      return { file: gate, wait: `run while [ ! -e ${gate} ]; do sleep 0.05; done` }
    },
    hostPid: () => {
      const found = processes(
        (pid) =>
          /\/detached-host\.[jt]s$/.test(argvOf(pid)[1] ?? '') && argvOf(pid).includes(tree.state),
      )
      // What it just starts goes by its name for an instant.
      const pids = found.filter((pid) => !found.includes(parentOf(pid)))
      if (pids.length !== 1) throw new Error(`${pids.length} hosts`)
      return pids[0] ?? 0
    },
    processesOf: (agentId) =>
      processes((pid) => readProc(pid, 'environ').includes(`EXOMONAD_AGENT_ID=${agentId}`)),
  }
}

/** Prompts are shown behind `> `, further lines of them indented. */
const beyondPrompts = (screen: string): string =>
  screen
    .split('\n')
    .filter((line) => !/^(> | {2}(?! ?⎿))/.test(line))
    .join('\n')

const processes = (test: (pid: number) => boolean): number[] =>
  readdirSync('/proc')
    .map(Number)
    .filter(
      (pid) =>
        Number.isInteger(pid) &&
        pid !== process.pid &&
        readProc(pid, 'cmdline') !== '' &&
        test(pid),
    )

const argvOf = (pid: number): string[] => readProc(pid, 'cmdline').split('\0')

const parentOf = (pid: number): number =>
  Number(/^PPid:\s+(\d+)/m.exec(readProc(pid, 'status'))?.[1] ?? 0)

function readProc(pid: number, file: 'cmdline' | 'environ' | 'status'): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1')
  } catch {
    return ''
  }
}

export const commandLines = (): string[] =>
  processes(() => true).map((pid) => readProc(pid, 'cmdline'))
