import type { TreeNode } from '../../../core/agents/tree-document.ts'
import { ExomonadError } from '../../../domain/errors.ts'
import { insideZellij } from '../agents/attach.ts'
import { openOwnerClients } from '../connect.ts'
import type { CliContext } from '../context.ts'
import { printableLine } from '../../text/printable.ts'
import { terminalNotice } from '../../text/terminal-notice.ts'
import { startApp, type App, type AppOptions } from './app.ts'
import { startFeed } from './feed.ts'
import type { Frame } from './frame-options.ts'
import { leaveOn } from './leave-on.ts'
import { createPress } from './input/press.ts'
import { findByName } from './rotation.ts'
import { createLines } from './run-line.ts'
import type { Doing } from './doing.ts'
import { reduce } from './reduce.ts'
import { initialState } from './state.ts'
import { createStore } from './store.ts'

/**
 * The console until the person leaves it. AGENT_NOT_FOUND, AMBIGUOUS_ID for the agent to begin
 * with.
 */
export async function runConsole(context: CliContext, agent: string | undefined): Promise<void> {
  const { environment, host, now } = context
  const { elsewhere } = context
  const link = await elsewhere?.link()
  // What becomes of the connection stands where other trouble does.
  link?.beQuiet()
  const clients =
    link ?? (await openOwnerClients({ cwd: context.options().cwd, environment, host }))
  const store = createStore(reduce, initialState())
  const first = await clients.client().call('tree', {})
  store.dispatch({ type: 'tree', tree: first, at: now() })
  if (agent === undefined) store.dispatch({ type: 'place', place: 'overview' })
  else store.dispatch({ type: 'go', agent: idOf(store.get().rotation, agent) })

  const leaving = new AbortController()
  const palette = context.palette()
  // Reads never start a daemon that somebody stopped; what a person does starts it.
  const feed = startFeed({
    client: clients.client({ start: false }),
    clientFor: (as) => clients.client({ as, start: false }),
    store,
    now,
    onEvent: (event) => {
      const notice = terminalNotice(event, environment)
      if (notice !== null) context.terminal.stdout.write(notice)
    },
    signal: leaving.signal,
  })
  let scrolling: Frame['scrolling'] = { total: 0, height: 0, scroll: null }
  let app: App | undefined
  const quit = (): void => app?.end()
  const doing: Doing = {
    store,
    feed,
    clientFor: (as) => clients.client({ as }),
    now,
    palette,
    attach: (argv) =>
      app === undefined
        ? Promise.resolve(null)
        : app.away(() =>
            elsewhere === null
              ? host.runOnTerminal(argv, context.options().cwd)
              : elsewhere.run(argv, null),
          ),
    inside: insideZellij(context),
    quit,
  }
  const lines = createLines(doing)
  const press = createPress({ store, lines, quit, now, seen: () => scrolling })
  const streams = context.terminal as unknown as AppOptions['streams']
  const outside = leaveOn(streams.stdin, quit, () => app?.isAway() === true)
  try {
    app = startApp({ store, palette, now, press, seen: (seen) => (scrolling = seen), streams })
    await app.ended
  } finally {
    // What was entered is done, unless the daemon takes too long for one who wants to leave.
    await Promise.race([lines.leave(), new Promise((resolve) => setTimeout(resolve, TIMEOUT))])
    leaving.abort(new Error('left'))
    outside.stop()
  }
  const thrown = outside.error()
  if (thrown !== undefined) throw thrown
}

/** Milliseconds. */
const TIMEOUT = 3000

/** The id of the agent that a word means. */
function idOf(rotation: readonly TreeNode[], word: string): string {
  const found = findByName(rotation, word)
  if (found.kind === 'found') return found.node.id
  const said = printableLine(word)
  const { candidates } = found
  if (found.kind === 'ambiguous') {
    throw new ExomonadError(
      'AMBIGUOUS_ID',
      `${said} means several agents: ${candidates.map(printableLine).join(', ')}. Name one of them.`,
      { candidates },
    )
  }
  const meant =
    candidates.length > 0 ? ` Did you mean ${candidates.map(printableLine).join(', ')}?` : ''
  throw new ExomonadError(
    'AGENT_NOT_FOUND',
    `There is no agent ${said}.${meant} \`exomonad tree\` shows them all.`,
    { found: word },
  )
}
