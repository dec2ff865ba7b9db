import { readFile, rename, writeFile } from 'node:fs/promises'
import type { Log } from '../runtime/log.ts'
import { listenOnLoopback, type LoopbackServer } from '../surfaces/mcp/loopback.ts'
import { parseJson } from '../domain/formats/parse-json.ts'

/**
 * MCP’s port: the configured one, else the one of before, which agents that live on were given,
 * else any.
 */
export async function openMcp({
  file,
  port,
  log,
}: {
  file: string
  port: number | undefined
  log: Log
}): Promise<LoopbackServer> {
  const recorded = await recordedPort(file)
  const server = await listenOnLoopback(
    [...new Set([port, recorded])].filter((wanted) => wanted !== undefined),
    log,
  )
  if (server.port !== recorded) await record(file, server.port)
  return server
}

/** Whole or not at all: after a kill in between, agents that live on would have lost it. */
async function record(file: string, port: number): Promise<void> {
  await writeFile(`${file}.new`, `${JSON.stringify({ version: 1, port })}\n`, { mode: 0o600 })
  await rename(`${file}.new`, file)
}

async function recordedPort(file: string): Promise<number | undefined> {
  try {
    const { port } = parseJson(await readFile(file, 'utf8')) as { port?: unknown }
    return typeof port === 'number' && Number.isInteger(port) && port > 0 && port < 65_536
      ? port
      : undefined
  } catch {
    return undefined
  }
}
