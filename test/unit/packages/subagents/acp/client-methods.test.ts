import type { ClientApp } from '@agentclientprotocol/sdk'
import { expect, it } from 'vitest'
import type { AcpHandlers } from '../../../../../packages/subagents/src/acp/acp.ts'
import { registerClientMethods } from '../../../../../packages/subagents/src/acp/client-methods.ts'
import { isRefusal } from '../../../../../src/adapters/acp/is-refusal.ts'
import { ExomonadError } from '../../../../../src/domain/errors.ts'

type Asked = (request: { params: unknown }) => Promise<unknown>

/** What an agent that reads a file is answered where reading it fails so. */
async function answerTo(thrown: Error, agentName: string | null = null): Promise<unknown> {
  const methods = new Map<string, Asked>()
  const app = {
    onRequest: (method: string, ...rest: Asked[]) => void methods.set(method, rest.at(-1)!),
  }
  const handlers: Partial<AcpHandlers> = {
    readTextFile: () => Promise.reject(thrown),
    isRefusal,
  }
  registerClientMethods(app as unknown as ClientApp, {
    handlers: handlers as AcpHandlers,
    signalOf: () => undefined,
    agentName: () => agentName,
  })
  const read = methods.get('fs/read_text_file')!
  return read({ params: { sessionId: 's', path: '/a' } }).catch((error: unknown) => error)
}

it('says what may not be, what is not there, and what went wrong, each by its own code', async () => {
  const refused = new ExomonadError('OUTSIDE_ROOT', 'it leaves the worktree')
  expect(await answerTo(refused)).toMatchObject({ code: -32_602, message: refused.message })
  const missing = Object.assign(new Error('no such file'), { code: 'ENOENT' })
  expect(await answerTo(missing)).toMatchObject({ code: -32_002 })
  expect(await answerTo(new ExomonadError('DISK_FULL', 'full'))).toMatchObject({ code: -32_603 })
  expect(await answerTo(new Error('broken'))).toMatchObject({ code: -32_603, message: 'broken' })
})

it('has an empty file for a program that takes a missing one for a reason not to write it', async () => {
  const missing = Object.assign(new Error('no such file'), { code: 'ENOENT' })
  expect(await answerTo(missing, 'gemini-cli')).toEqual({ content: '' })
})
