import type { TreeNode, TreeView } from '../../../core/agents/tree-document.ts'
import type { Client, WireEvent } from '../../client.ts'
import type { CliContext } from '../context.ts'
import { writeJsonLine } from '../output.ts'
import { eventLine, isMinor } from '../../text/event-line.ts'
import type { ToolArguments } from '../../../tools/types.ts'
import { onKeys, scrolledBy } from './scroll-keys.ts'
import { interruptible } from '../interruptible.ts'
import { createLiveScreen } from '../../../../packages/subagents/src/terminal/live-screen.ts'
import { locateRepository } from '../locate.ts'
import { shortPath } from '../../text/short-path.ts'
import { terminalNotice } from '../../text/terminal-notice.ts'
import { layOutTree, renderTree } from '../../text/tree/tree-view.ts'
import { cut } from '../../text/width.ts'

/**
 * Milliseconds: between redraws, between reads when no event came, and from an event to the
 * read it causes.
 */
const REDRAW = 250
const REREAD = 5000
const SETTLE = 60
const EVENTS_SHOWN = 6

/** What is shown: the tool’s input, and whether finished branches are folded. */
export interface Wish {
  readonly input: ToolArguments<'tree'>
  readonly all: boolean
}

interface Watched {
  view: TreeView
  readonly wish: Wish
  /** Lines of agents above the first that is seen. */
  scroll: number
  /** When it was read; ages are counted on from there. */
  readAt: number
  recent: WireEvent[]
  /** Why the last read failed, where it did. */
  trouble: string | null
}

/**
 * The tree, live, until Ctrl-C or q: redrawn in place on a terminal, where keys scroll it, elsewhere
 * a line per event, with --json a tree per line. Rings the bell when something new waits for the
 * human, and has the terminal notify them where [notify] says so.
 */
export async function watchTree(context: CliContext, client: Client, wish: Wish): Promise<void> {
  await interruptible(context, async (interrupted) => {
    const first = await client.call('tree', wish.input)
    if (context.options().json || context.terminal.stdout.isTTY !== true)
      return printChanges(context, client, wish, first, interrupted)
    const left = new AbortController()
    const watched: Watched = {
      view: first,
      wish,
      scroll: 0,
      readAt: context.now(),
      recent: [],
      trouble: null,
    }
    const signal = AbortSignal.any([interrupted, left.signal])
    await drawLive(context, client, watched, signal, () => left.abort(new Error('left')))
  })
}

async function drawLive(
  context: CliContext,
  client: Client,
  watched: Watched,
  signal: AbortSignal,
  leave: () => void,
): Promise<void> {
  const { stdout } = context.terminal
  const screen = createLiveScreen(stdout)
  const bell = await bellWanted(context)
  const since = context.now()
  let frame = 0
  let reading = false
  let soon: NodeJS.Timeout | undefined
  let limits = { most: 0, page: 1 }
  const draw = (): void => {
    const { lines, mostScroll, page } = compose(context, watched, frame)
    limits = { most: mostScroll, page }
    watched.scroll = Math.min(watched.scroll, mostScroll)
    screen.draw(lines)
  }
  const read = async (): Promise<void> => {
    if (reading || signal.aborted) return
    reading = true
    try {
      const view = await client.call('tree', watched.wish.input, { signal })
      if (bell && waitingCount(view) > waitingCount(watched.view)) stdout.write('\u0007')
      Object.assign(watched, { view, readAt: context.now(), trouble: null })
    } catch (error) {
      if (!signal.aborted) watched.trouble = (error as Error).message
    } finally {
      reading = false
    }
  }
  const redraw = setInterval(() => {
    frame++
    draw()
  }, REDRAW)
  const reread = setInterval(() => void read(), REREAD)
  const onResize = (): void => {
    screen.reset()
    draw()
  }
  stdout.on?.('resize', onResize)
  const stopKeys = onKeys(context.terminal, (key) => {
    if (key === 'leave') return leave()
    watched.scroll = scrolledBy(key, watched.scroll, limits)
    draw()
  })
  draw()
  try {
    for await (const event of client.events({ follow: true, last: 5 * EVENTS_SHOWN, signal })) {
      const notice = event.at < since ? null : terminalNotice(event, context.environment)
      if (notice !== null) stdout.write(notice)
      if (!isMinor(event)) watched.recent = [...watched.recent, event].slice(-EVENTS_SHOWN)
      soon ??= setTimeout(() => {
        soon = undefined
        void read().then(draw)
      }, SETTLE)
    }
  } finally {
    clearInterval(redraw)
    clearInterval(reread)
    clearTimeout(soon)
    stopKeys()
    stdout.off?.('resize', onResize)
    draw()
    screen.end()
  }
}

/** Lines of the tail that hold no event. */
const BESIDE_EVENTS = 3
const USUAL_HEIGHT = 24
const FEWEST_EVENTS = 3

function compose(
  context: CliContext,
  watched: Watched,
  frame: number,
): ReturnType<typeof layOutTree> {
  const palette = context.palette()
  const width = context.width()
  const height = context.terminal.stdout.rows ?? 40
  const elapsed = Math.floor((context.now() - watched.readAt) / 1000)
  const view = {
    ...watched.view,
    repository: shortPath(watched.view.repository, context.environment.home),
    root: aged(watched.view.root, elapsed),
  }
  const names = namesOf(watched.view.root)
  const events = watched.recent.map((event) =>
    eventLine(
      event,
      event.agentId === null ? null : (names.get(event.agentId) ?? event.agentId.slice(0, 8)),
      { palette, width },
    ),
  )
  const { scroll } = watched
  const options = { width, palette, frame, scroll, all: watched.wish.all }
  // Where room is short the tree comes first: of events a few stay on a terminal of the usual
  // height, none on a lower one.
  const spare = height - 1 - layOutTree(view, options).lines.length - BESIDE_EVENTS
  const shown = events.slice(
    Math.max(0, events.length - Math.max(spare, height >= USUAL_HEIGHT ? FEWEST_EVENTS : 0)),
  )
  const beside = ['', ...shown, ...(shown.length > 0 ? [''] : [])]
  const laid = layOutTree(view, { ...options, height: height - 2 - beside.length })
  const footer =
    watched.trouble === null
      ? palette.dim(cut(laid.mostScroll > 0 ? '↑ ↓ PgUp PgDn scroll, q ends' : 'q ends', width))
      : palette.attention(cut(`! ${watched.trouble.split('\n')[0] ?? ''}`, width))
  return { ...laid, lines: [...laid.lines, ...beside, footer] }
}

/** The same node some seconds later. */
const aged = (node: TreeNode, seconds: number): TreeNode => ({
  ...node,
  age_seconds: node.age_seconds + seconds,
  state_age_seconds: node.state_age_seconds + seconds,
  children: node.children.map((child) => aged(child, seconds)),
})

function namesOf(root: TreeNode): Map<string, string> {
  const names = new Map<string, string>()
  const visit = (node: TreeNode): void => {
    names.set(node.id, node.short)
    node.children.forEach(visit)
  }
  visit(root)
  return names
}

/** Things that need the human, and news. */
const waitingCount = ({ inbox }: TreeView): number => inbox.items + inbox.news

/** `notify.bell`, on where the configuration can’t be read. */
async function bellWanted(context: CliContext): Promise<boolean> {
  if (context.elsewhere !== null) return true
  try {
    const located = await locateRepository(context.options().cwd, context.environment, context.host)
    return (await context.host.loadConfig(located.paths.configFile)).notify.bell
  } catch {
    return true
  }
}

async function printChanges(
  context: CliContext,
  client: Client,
  { input, all }: Wish,
  first: TreeView,
  signal: AbortSignal,
): Promise<void> {
  const { stdout } = context.terminal
  const palette = context.palette()
  const { json } = context.options()
  if (json) writeJsonLine(stdout, first)
  else stdout.write(`${renderTree(first, { width: context.width(), palette, all }).join('\n')}\n`)
  let view = first
  for await (const event of client.events({ follow: true, last: 0, signal })) {
    if (json || (event.agentId !== null && !namesOf(view.root).has(event.agentId)))
      view = await client.call('tree', input, { signal })
    if (json) writeJsonLine(stdout, view)
    else if (!isMinor(event))
      stdout.write(
        `${eventLine(event, event.agentId === null ? null : (namesOf(view.root).get(event.agentId) ?? null), { palette })}\n`,
      )
  }
}
