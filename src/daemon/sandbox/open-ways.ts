import { join } from 'node:path'
import { freePort } from '../../adapters/machine/free-port.ts'
import { loopbackPorts, parseAllowed } from '../../domain/formats/allowed-hosts.ts'
import { WAYS, type Ways } from '../../adapters/sandbox/network/ways.ts'
import type { Config } from '../../config/schema.ts'
import { programFile } from '../../runtime/package-root.ts'

/**
 * What an agent without a network is started with, so that it reaches its model, our tools and what
 * is allowed, and we reach what it serves: a process outside, one inside, and variables.
 */
export async function openWays(asked: {
  readonly folder: string
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly listens: readonly number[]
  readonly hosts: readonly string[]
  readonly config: Pick<Config, 'sandbox'>
}): Promise<{
  outside: readonly string[]
  inside: readonly string[]
  env: Record<string, string>
}> {
  const { env, listens } = asked
  const folder = join(asked.folder, 'ways')
  const hosts = [...asked.hosts, ...asked.config.sandbox.allow_hosts]
  const tools = env['EXOMONAD_MCP_URL']
  const upstream =
    env['HTTPS_PROXY'] || env['https_proxy'] || env['HTTP_PROXY'] || env['http_proxy']
  const ways: Ways = {
    folder,
    cwd: asked.cwd,
    hosts,
    proxyPort: await freePort(),
    ...(upstream && { upstream }),
    outward: [
      ...new Set([
        ...loopbackPorts(hosts.flatMap((host) => parseAllowed(host) ?? [])),
        ...(tools === undefined ? [] : [Number(new URL(tools).port)]),
      ]),
    ],
    inward: listens,
  }
  const proxy = `http://127.0.0.1:${ways.proxyPort}`
  const direct = '127.0.0.1,localhost,::1'
  return {
    outside: [process.execPath, programFile('bin/sandbox-gate')],
    inside: [process.execPath, programFile('bin/sandbox-relay')],
    env: {
      [WAYS]: JSON.stringify(ways),
      ...Object.fromEntries(
        ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'].flatMap((name) => [
          [name, proxy],
          [name.toLowerCase(), proxy],
        ]),
      ),
      NO_PROXY: direct,
      no_proxy: direct,
    },
  }
}
