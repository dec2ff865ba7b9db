import type { Forge } from '../adapters/forge/forge.ts'
import type { Store } from '../adapters/store/store.ts'
import type { Multiplexer } from '../adapters/terminals/holder.ts'
import type { Core } from '../core/core.ts'
import { knownForgeHealth } from '../core/pulls/forge-health.ts'
import { hashToken } from '../core/spawn/token.ts'
import { EVENTS } from '../events/event.ts'
import type { Publisher } from '../events/publish.ts'
import type { Log } from '../runtime/log.ts'
import type { TextGate } from '../sanitize/text-gate.ts'
import { createHttpServer } from '../surfaces/http/server.ts'
import type { LoopbackServer } from '../surfaces/mcp/loopback.ts'
import type { ServedPage } from '../surfaces/web/page.ts'
import type { RoleTools } from '../surfaces/tool-access.ts'
import { ALL_TOOLS } from '../tools/all.ts'
import type { PeopleNotices } from '../delivery/notify/notify-people.ts'
import type { Releaser } from './releaser.ts'

/** All tools, the events and the health of the daemon, on a Unix socket until `release`. */
export async function serveHttp(deps: {
  readonly socket: string
  readonly core: Core
  readonly store: Store
  readonly publisher: Publisher
  readonly multiplexer: Multiplexer
  readonly forge: Forge
  /** Where MCP is served over HTTP as well; null where it isn’t. */
  readonly mcp: LoopbackServer | null
  readonly page: ServedPage
  readonly notices: Pick<PeopleNotices, 'trouble'>
  readonly ownerToken: string
  readonly roleTools: RoleTools
  readonly version: string
  /** Path of the repository. */
  readonly repository: string
  /** Where the owner’s token lies. */
  readonly userState: string
  readonly gate: TextGate
  readonly clock: () => number
  readonly log: Log
  readonly release: Releaser
}): Promise<void> {
  const { core, store, multiplexer, forge, mcp } = deps
  const http = await createHttpServer({
    core,
    tools: ALL_TOOLS,
    events: {
      types: Object.keys(EVENTS),
      list: (query) => store.events.list(query),
      lastSeq: () => store.events.lastSeq(),
      onEvent: deps.publisher.onEvent,
    },
    ownerTokenHash: hashToken(deps.ownerToken),
    findAgentByTokenHash: core.directory.byTokenHash,
    log: deps.log,
    version: deps.version,
    repository: deps.repository,
    clock: deps.clock,
    health: async () => {
      const health = await knownForgeHealth(store).catch(() => undefined)
      return {
        user_state: deps.userState,
        multiplexer: multiplexer.name,
        forge: forge.kind,
        forge_trouble: health?.code ?? null,
        notify_trouble: (await deps.notices.trouble().catch(() => [])).map(
          ({ target, since, reason }) => ({ target, since, reason }),
        ),
        ...(mcp === null ? {} : { mcp: mcp.url }),
      }
    },
    roleTools: deps.roleTools,
    gate: deps.gate,
    ...(mcp === null ? {} : { loopback: mcp }),
  })
  await http.listen(deps.socket)
  deps.release.add('http', () => http.close())
  await deps.page.resume(http.fastify)
  deps.release.add('page', () => deps.page.close())
}
