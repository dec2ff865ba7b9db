import { spawn } from 'node:child_process'
import { once } from 'node:events'
import process from 'node:process'
import { createInterface } from 'node:readline'
import { AGENT } from './agent.ts'

/** The same agent at the other end of two pipes, and nothing between: the floor. */
export interface DirectAgent {
  readonly pid: number
  /** Resolves when the turn is over. */
  prompt(text: string): Promise<void>
  /** SIGTERM; resolves when it is gone. */
  end(): Promise<void>
}

export async function startDirect(cwd: string): Promise<DirectAgent> {
  const child = spawn(process.execPath, [AGENT], { cwd, stdio: ['pipe', 'pipe', 'ignore'] })
  const waiting = new Map<number, (answer: any) => void>()
  let last = 0
  createInterface({ input: child.stdout }).on('line', (line) => {
    const message = JSON.parse(line)
    if (message.method === undefined) waiting.get(message.id)?.(message.result)
  })
  const request = (method: string, params: object): Promise<any> =>
    new Promise((resolve) => {
      waiting.set(++last, resolve)
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: last, method, params })}\n`)
    })
  await request('initialize', { protocolVersion: 1, clientCapabilities: {} })
  const { sessionId } = await request('session/new', { cwd, mcpServers: [] })
  return {
    pid: child.pid ?? 0,
    prompt: async (text) =>
      void (await request('session/prompt', { sessionId, prompt: [{ type: 'text', text }] })),
    end: async () => {
      const gone = once(child, 'exit')
      child.kill('SIGTERM')
      await gone
    },
  }
}
