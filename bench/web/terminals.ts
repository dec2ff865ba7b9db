import { writeFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import type { Browser } from '@playwright/test'
import { WebSocket } from 'ws'
import { atMost, percentile, type Figure } from '../figures.ts'
import { benchTree, type BenchTree } from '../tree.ts'
import { seenOf } from './browser.ts'
import { measureFlood } from './flood.ts'
import { openPage, showAgent, until } from './page.ts'

const SHELL = String.raw`
[agents.shell]
adapter = "command"
command = ["/bin/sh", "-c", "printf 'shell ready\\n'; exec env PS1='$ ' sh"]
`
const KEYS = 200
/** Between two keys, as a person types who types fast. Milliseconds. */
const APART = 60

/** The echo of what is typed in a page’s terminal, and what much output does to it. */
export async function measureTerminals(browser: Browser): Promise<Figure[]> {
  const tree = await benchTree({ multiplexer: 'tmux', roles: { dev: 'shell' }, config: SHELL })
  try {
    const { spawned } = await tree.client.call('spawn_workers', {
      specs: ['typed', 'pane'].map((name) => ({ name, prompt: 'Be a shell' })),
    })
    const [typed = '', pane = ''] = spawned.map(({ agent_id: id }) => id)
    return [
      ...(await measureEcho(tree, browser, typed)),
      ...(await measurePane(tree, browser, pane)),
      ...(await measureOutput(tree, browser)),
    ]
  } finally {
    await tree.exomonad.stop()
  }
}

const measurePane = (tree: BenchTree, browser: Browser, agent: string): Promise<Figure[]> =>
  measureFlood(tree, browser, {
    what: 'output of a pane',
    agent: () => Promise.resolve(agent),
    begin: (command) => typeInto(tree, agent, `${command}\r`),
  })

/** What has no terminal is followed from its begin: a command of its own for each time. */
async function measureOutput(tree: BenchTree, browser: Browser): Promise<Figure[]> {
  const gate = (name: string): string => `until [ -e ${name} ]; do sleep 0.05; done`
  let count = 0
  return measureFlood(tree, browser, {
    what: 'output of a background task',
    agent: async (command) => {
      count += 1
      const { agent_id: id } = await tree.client.call('spawn_background_task', {
        command: `echo task ready; ${gate(`${tree.exomonad.state}/go-${count}`)}; ${command}`,
      })
      return id
    },
    begin: () => writeFile(`${tree.exomonad.state}/go-${count}`, ''),
  })
}

async function measureEcho(tree: BenchTree, browser: Browser, agent: string): Promise<Figure[]> {
  const bare = await bareEchoes(tree, agent)
  const page = await openPage(tree, browser)
  await showAgent(page, agent)
  await page.getByRole('button', { name: 'Type', exact: true }).click()
  await page.getByText('You type here').waitFor()
  await page.keyboard.type('cat\n')
  await delay(1000)
  await page.evaluate('Object.assign(seen, { isWatching: false, echoes: [] })')
  for (let key = 1; key <= KEYS; key += 1) {
    await page.keyboard.press('x')
    await until(page, `seen.echoes.length >= ${key}`)
    await delay(APART)
  }
  const { echoes } = await seenOf(page)
  await page.context().close()
  const figure = (name: string, share: number, target: boolean): Figure => {
    const value = percentile(echoes, share)
    return {
      name: `page: echo of a key typed in a terminal, ${name}`,
      unit: 'ms',
      value,
      floorName: 'at the WebSocket, without a page',
      floor: percentile(bare, share),
      target: target ? atMost(30, 'ms', value) : null,
      samples: echoes.length,
    }
  }
  return [figure('p50', 0.5, false), figure('p99', 0.99, true)]
}

interface Wire {
  readonly socket: WebSocket
  /** Until the next bytes; milliseconds since it was called. */
  next(): Promise<number>
}

/** What the page’s terminal speaks, from here. */
async function openWire(tree: BenchTree, agent: string): Promise<Wire> {
  const { url } = await tree.client.call('web', {})
  const opened = await fetch(url, { redirect: 'manual' })
  const [cookie = ''] = (opened.headers.get('set-cookie') ?? '').split(';')
  const { host, origin } = new URL(url)
  const socket = new WebSocket(`ws://${host}/v1/agents/${agent}/terminal`, {
    headers: { cookie, origin },
  })
  let wake: (() => void) | undefined
  let shown = 0
  const typing = new Promise<void>((resolve, reject) => {
    socket.on('error', reject)
    socket.on('message', (data: Buffer, isBinary) => {
      if (isBinary) {
        shown += data.length
        socket.send(JSON.stringify({ type: 'shown', bytes: shown }))
        wake?.()
      } else {
        const message = JSON.parse(data.toString()) as { type: string; mode?: string }
        if (message.type === 'opened' && message.mode === 'look')
          socket.send(JSON.stringify({ type: 'type', columns: 120, rows: 40 }))
        if (message.type === 'opened' && message.mode === 'type') resolve()
      }
    })
  })
  await typing
  return {
    socket,
    next: () =>
      new Promise((resolve) => {
        const start = performance.now()
        wake = () => {
          wake = undefined
          resolve(performance.now() - start)
        }
      }),
  }
}

async function typeInto(tree: BenchTree, agent: string, keys: string): Promise<void> {
  const { socket, next } = await openWire(tree, agent)
  await next()
  socket.send(Buffer.from(keys))
  // It goes through a program that ends with the socket.
  await delay(500)
  socket.close()
}

async function bareEchoes(tree: BenchTree, agent: string): Promise<number[]> {
  const { socket, next } = await openWire(tree, agent)
  await delay(1000)
  const echoes: number[] = []
  for (let key = 0; key < KEYS; key += 1) {
    const echo = next()
    socket.send(Buffer.from('x'))
    echoes.push(await echo)
    await delay(APART)
  }
  // What was typed is taken back, as a person would.
  socket.send(Buffer.from('\u0015'))
  await delay(200)
  socket.close()
  return echoes
}
