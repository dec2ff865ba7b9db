import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { afterEach, beforeEach } from 'vitest'
import { z } from 'zod'
import {
  createHostedTerminal,
  type HostedTerminal,
} from '../../../src/adapters/terminals/detached/hosted-terminal.ts'
import type { Holder, Multiplexer, OpenPane } from '../../../src/adapters/terminals/holder.ts'
import { createViewed } from '../../../src/adapters/terminals/viewed.ts'
import type { Viewer } from '../../../src/adapters/terminals/viewer.ts'
import { createZellijViewer } from '../../../src/adapters/terminals/zellij/zellij.ts'
import { newAgentId, type PaneId } from '../../../src/domain/ids.ts'
import { silentLog } from '../../../src/runtime/log.ts'
import { waitFor } from '../../helpers/wait-for.ts'
import { exec } from '../../helpers/exec.ts'
import { zellijAction } from '../../helpers/terminals/zellij-action.ts'
import { fixture, type Opened } from '../multiplexer/bench.ts'
import { createHolder, scrubbedEnvironment, socketNameOf } from '../multiplexer/create.ts'

/** As often as `exomonad attach` tries. */
const ATTEMPTS = 4

export type HolderKind = 'tmux' | 'headless'

const listSchema = z.array(
  z.looseObject({
    id: z.number(),
    is_plugin: z.boolean(),
    title: z.string(),
    terminal_command: z.string().nullable(),
    tab_id: z.number(),
    tab_name: z.string(),
  }),
)

/** A view as Zellij reports it. */
export interface SeenView {
  /** As actions take it. */
  readonly id: string
  readonly tab: number
  readonly tabName: string
  readonly title: string
}

export interface ViewerBench {
  readonly folder: string
  readonly session: string
  readonly holder: Holder
  /** The holder with its viewer. */
  readonly viewed: Multiplexer & { show: NonNullable<Multiplexer['show']> }
  readonly viewer: Viewer
  readonly environment: Readonly<Record<string, string>>
  /** The same with another viewer, as a second daemon would have it; let go of at the end. */
  another(options?: {
    readonly binary: string
  }): ViewerBench['viewed'] & { settled(): Promise<void> }
  /** An agent with the size that is configured. */
  open(options: Partial<OpenPane> & Pick<OpenPane, 'argv'>): Promise<Opened>
  /** Says its name first. */
  openRecorder(
    options?: Partial<OpenPane>,
  ): Promise<Opened & { name: string; recorded: () => string }>
  /** An action of Zellij’s, past exomonad. */
  zellij(...args: string[]): Promise<string>
  views(paneId: PaneId): Promise<SeenView[]>
  isShown(paneId: PaneId): Promise<SeenView>
  /** A person in a terminal of their own runs this. */
  person(
    argv: readonly string[],
    size?: { columns: number; rows: number },
    env?: Readonly<Record<string, string>>,
  ): HostedTerminal
  sees(person: HostedTerminal, text: string): Promise<unknown>
  /**
   * Somebody who comes so sees this: again where Zellij drops them, as it does with whose terminal
   * does not keep up with it on a busy machine.
   */
  stays(come: () => Promise<HostedTerminal>, text: string): Promise<HostedTerminal>
  /** The same from outside, as `exomonad attach` brings them. */
  comes(paneId: PaneId, text: string): Promise<HostedTerminal>
}

export function useViewerBench(kind: HolderKind): ViewerBench {
  let folder = ''
  let holder: Holder
  let viewer: Viewer
  let viewed: ViewerBench['viewed']
  let release: (() => Promise<void>)[] = []
  const people: HostedTerminal[] = []

  const session = (): string => socketNameOf(folder)
  const environment = () => ({ ...scrubbedEnvironment(folder), ZELLIJ_SOCKET_DIR: folder })
  const createViewer = (options?: { readonly binary: string }): Viewer =>
    createZellijViewer({
      session: session(),
      former: `${session()}-before`,
      stateDir: folder,
      environment: environment(),
      log: silentLog(),
      exec,
      ...options,
    })
  const create = (held: Holder, shows: Viewer) =>
    createViewed({ holder: held, viewer: shows, log: silentLog() }) as ViewerBench['viewed']
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'v-'))
    holder = createHolder(kind, folder)
    viewer = createViewer()
    viewed = create(holder, viewer)
    release = []
    await viewed.start()
  })
  afterEach(async () => {
    for (const person of people.splice(0)) person.dispose()
    for (const let_go of release) await let_go()
    await viewed.shutdown()
    await viewed.dispose()
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
  })

  const zellij = (...args: string[]) => zellijAction(session(), args, environment())
  const views: ViewerBench['views'] = async (paneId) => {
    const listed = await waitFor('a list of panes', async () =>
      listSchema.parse(JSON.parse(await zellij('list-panes', '--json'))),
    )
    return listed
      .filter(({ terminal_command: command }) => command?.includes(` exomonad:${paneId} `) === true)
      .map(({ id, tab_id: tab, tab_name: tabName, title }) => ({
        id: `terminal_${id}`,
        tab,
        tabName,
        title,
      }))
  }
  const open: ViewerBench['open'] = async (options) => {
    const agentId = options.agentId ?? newAgentId()
    return {
      agentId,
      ...(await viewed.open({
        agentId,
        name: 'agent',
        cwd: folder,
        env: {},
        columns: 200,
        rows: 50,
        ...options,
      })),
    }
  }

  const person: ViewerBench['person'] = (argv, size = { columns: 200, rows: 51 }, env = {}) => {
    const someone = createHostedTerminal({
      argv,
      cwd: '/',
      env: {
        PATH: process.env['PATH'] ?? '',
        HOME: folder,
        TMPDIR: folder,
        TERM: 'xterm-256color',
        ...env,
      },
      ...size,
      onOutput: () => undefined,
    })
    people.push(someone)
    return someone
  }
  const sees: ViewerBench['sees'] = (someone, text) =>
    waitFor(`a person to see ${text}`, async () => (await someone.capture(0)).includes(text)).catch(
      async (error: unknown) => {
        throw new Error(
          `They see:\n${await someone.capture(0)}\n${JSON.stringify(someone.ended ?? 'attached')}\n${await zellij('list-clients').catch(String)}`,
          {
            cause: error,
          },
        )
      },
    )
  const stays: ViewerBench['stays'] = async (come, text) => {
    let someone = await come()
    for (let attempt = 1; attempt < ATTEMPTS; attempt += 1) {
      await waitFor(
        'them to see it, or to be dropped',
        async () => someone.ended !== undefined || (await someone.capture(0)).includes(text),
      )
      if (someone.ended === undefined) break
      someone = await come()
    }
    await sees(someone, text)
    return someone
  }
  const comes: ViewerBench['comes'] = (paneId, text) =>
    stays(async () => person(await viewed.show(paneId)), text)

  return {
    get folder() {
      return folder
    },
    get session() {
      return session()
    },
    get holder() {
      return holder
    },
    get viewer() {
      return viewer
    },
    get viewed() {
      return viewed
    },
    get environment() {
      return environment()
    },
    another: (options) => {
      const shows = createViewer(options)
      const other = create(createHolder(kind, folder), shows)
      release.push(() => other.dispose())
      return Object.assign(other, { settled: () => shows.settled() })
    },
    open,
    openRecorder: async (options = {}) => {
      const agentId = newAgentId()
      const { name = 'agent' } = options
      const file = join(folder, `recorded-${agentId}`)
      const argv = [
        '/bin/sh',
        '-c',
        `echo "This is $0."; exec "$@"`,
        name,
        process.execPath,
        fixture('recorder.ts'),
        file,
      ]
      const opened = await open({ agentId, argv, ...options })
      await waitFor('the recorder to be ready', async () =>
        (await holder.capture(opened.paneId)).includes('recorder ready'),
      )
      return { ...opened, name, recorded: () => readFileSync(file, 'utf8') }
    },
    zellij,
    views,
    isShown: async (paneId) => {
      // One that is only just starting may not survive being asked.
      await viewer.settled()
      return waitFor(`a view of ${paneId}`, async () => (await views(paneId))[0])
    },
    person,
    sees,
    stays,
    comes,
  }
}
