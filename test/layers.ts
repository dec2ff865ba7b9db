import { posix } from 'node:path'

/**
 * What may import what. A room is a folder of src/ (or a path from there), the longest name wins; within a room everything
 * may import everything, as long as there is no cycle. Of `values` a room may import all, of
 * `types` types alone: what they describe arrives as an argument.
 */
export interface Room {
  readonly values: readonly string[]
  readonly types?: readonly string[]
}

/** The package of subagents, seen from src/. */
export const LIBRARY = '../packages/subagents/src'
const IN = {
  acp: `${LIBRARY}/acp`,
  client: `${LIBRARY}/client`,
  loop: `${LIBRARY}/loop`,
  mcp: `${LIBRARY}/mcp`,
  processes: `${LIBRARY}/processes`,
  terminal: `${LIBRARY}/terminal`,
  tools: `${LIBRARY}/tools`,
}

const ADAPTER_TYPES = [
  'adapters/agent-cli',
  'adapters/forge',
  'adapters/git',
  'adapters/limits',
  'adapters/machine',
  'adapters/notify',
  'adapters/sandbox',
  'adapters/ssh',
  'adapters/store',
  'adapters/terminals',
]

export const ROOMS: Readonly<Record<string, Room>> = {
  domain: { values: [LIBRARY] },
  runtime: { values: [LIBRARY, 'domain'] },
  sanitize: { values: ['domain'] },
  processes: { values: [IN.processes, 'domain'] },
  config: { values: ['adapters/agent-cli/known.ts', 'domain', 'runtime'], types: ['processes'] },
  events: { values: ['domain'], types: ['adapters/store'] },
  // An adapter knows its own kind; of others the types of their interface at most.
  'adapters/git': { values: ['domain', 'processes', 'runtime'] },
  'adapters/store': {
    values: ['adapters/store/sql', 'domain'],
    types: ['runtime', 'sanitize'],
  },
  // The same for every dialect.
  'adapters/store/sql': { values: ['domain'], types: ['adapters/store', 'runtime'] },
  'adapters/terminals': {
    // How many columns a text takes.
    values: [IN.processes, IN.terminal, 'domain', 'processes', 'runtime'],
    types: [IN.acp],
  },
  'adapters/acp': {
    values: [LIBRARY, IN.acp, IN.processes, 'domain', 'processes', 'runtime'],
    types: ['adapters/terminals'],
  },
  'adapters/agent-cli': {
    values: ['adapters/agent-cli/known.ts', IN.processes, 'domain', 'processes', 'sanitize'],
    types: ['adapters/terminals', 'config'],
  },
  // Which agent CLIs there are is for everybody: their definitions alone, which load nothing else.
  'adapters/agent-cli/known.ts': { values: ['adapters/agent-cli', 'domain'] },
  'adapters/forge': {
    values: [IN.processes, 'domain', 'processes'],
    types: ['adapters/git', 'adapters/store', 'runtime', 'sanitize'],
  },
  'adapters/machine': {
    values: ['adapters/agent-cli/known.ts', IN.processes, 'domain', 'processes'],
    types: ['adapters/agent-cli', 'runtime', 'sanitize'],
  },
  'adapters/limits': { values: [IN.processes, 'domain', 'processes'] },
  'adapters/notify': { values: [], types: ['processes'] },
  'adapters/sandbox': {
    values: [LIBRARY, 'domain', 'processes'],
    types: ['adapters/agent-cli'],
  },
  'adapters/ssh': { values: [IN.processes, 'domain', 'processes'] },
  core: {
    values: ['adapters/agent-cli/known.ts', 'domain', 'events', 'sanitize'],
    types: [LIBRARY, ...ADAPTER_TYPES, 'config', 'runtime'],
  },
  delivery: {
    values: ['config', 'core', 'domain', 'events', 'sanitize'],
    types: [...ADAPTER_TYPES, 'runtime'],
  },
  'pull-watch': {
    values: ['core', 'delivery', 'domain'],
    types: ['adapters/forge', 'adapters/store', 'config', 'events', 'runtime'],
  },
  tools: { values: ['domain'], types: ['core'] },
  surfaces: {
    values: [LIBRARY, 'config', 'domain'],
    types: ['core', 'runtime', 'sanitize', 'tools'],
  },
  // The documents that it shows are the tools’ results; an event has its line with it.
  'surfaces/text': {
    values: [IN.terminal, 'domain', 'events'],
    types: ['core', 'surfaces', 'tools'],
  },
  'surfaces/mcp': {
    values: [LIBRARY, IN.mcp, 'config', 'domain', 'runtime', 'surfaces'],
    types: ['core', 'sanitize', 'tools'],
  },
  'surfaces/http': {
    values: ['config', 'domain', 'runtime', 'surfaces', 'surfaces/mcp', 'tools'],
    types: ['adapters/store', 'core', 'events', 'sanitize'],
  },
  'surfaces/web': {
    values: ['domain', 'runtime', 'surfaces'],
    types: ['core'],
  },
  'surfaces/cli': {
    values: [
      'adapters/agent-cli/known.ts',
      IN.terminal,
      'config',
      'domain',
      'runtime',
      'surfaces',
      'surfaces/mcp',
      'surfaces/text',
      'tools',
    ],
    types: [...ADAPTER_TYPES, 'core', 'daemon', 'events', 'processes'],
  },
  // The library, which has nothing of the product: shared basics and what it exports at its top.
  [LIBRARY]: { values: [IN.client, IN.loop, IN.terminal, IN.tools] },
  [IN.acp]: { values: [LIBRARY, IN.processes] },
  [IN.client]: { values: [LIBRARY, IN.acp, IN.mcp, IN.processes, IN.tools] },
  [IN.loop]: { values: [LIBRARY, IN.tools], types: [IN.client] },
  [IN.mcp]: { values: [LIBRARY, IN.tools], types: [IN.client] },
  [IN.processes]: { values: [] },
  [IN.terminal]: { values: [LIBRARY, IN.loop], types: [IN.tools] },
  [IN.tools]: { values: [LIBRARY], types: [IN.client, IN.loop] },
  daemon: {
    values: [
      LIBRARY,
      ...ADAPTER_TYPES,
      'adapters/agent-cli/known.ts',
      'config',
      'core',
      'delivery',
      'domain',
      'events',
      'processes',
      'pull-watch',
      'runtime',
      'sanitize',
      'surfaces',
      'surfaces/http',
    ].concat('surfaces/mcp', 'surfaces/web', 'tools'),
  },
  bin: {
    values: [
      IN.processes,
      ...ADAPTER_TYPES,
      'adapters/acp',
      'config',
      'daemon',
      'delivery',
      'domain',
      'processes',
      'runtime',
      'surfaces/cli',
      'surfaces/text',
      'tools',
    ],
  },
  // src/index.ts, for those who embed it: nothing in the product imports it.
  '': { values: [LIBRARY, 'config', 'domain', 'events', 'surfaces', 'tools'], types: ['core'] },
}

/** Modules from outside that one place alone imports, and why. */
export const KEPT: readonly {
  readonly module: RegExp
  readonly within: readonly string[]
  readonly why: string
  readonly types?: true
}[] = [
  {
    module: /^(node:)?child_process$|^execa$/,
    within: ['processes/', `${LIBRARY}/processes/`],
    why: 'processes are started in one place: take an Exec as an argument',
  },
  {
    module: /^simple-git$/,
    within: ['adapters/git/'],
    why: 'it is one way among several to ask git',
  },
  {
    module: /^(node:)?http$/,
    within: [`${LIBRARY}/node-http.ts`],
    why: 'an import of it loads undici, which node-http.ts of the library does without',
    types: true,
  },
]

interface Import {
  readonly from: string
  /** A path from src/, or the name of a module. */
  readonly to: string
  readonly isType: boolean
}

const IMPORT =
  /^(?:import|export)\s+(type\s+)?(?:[^'"]*?\sfrom\s+)?'([^']+)'|(?<!typeof )\bimport\('([^']+)'\)|typeof import\('([^']+)'\)/gm

/** What sources import; `files`: text by path from src/. */
export function importsOf(files: ReadonlyMap<string, string>): Import[] {
  return [...files].flatMap(([from, text]) =>
    [...text.matchAll(IMPORT)].map(([, type, statically, dynamically, typeOf]): Import => {
      const name = statically ?? dynamically ?? typeOf ?? ''
      return {
        from,
        to: name.startsWith('.')
          ? posix.relative('src', posix.join('src', from, '..', name))
          : name,
        isType: type !== undefined || typeOf !== undefined,
      }
    }),
  )
}

export function roomOf(path: string): string {
  const rooms = Object.keys(ROOMS).filter(
    (room) => room === path || (room !== '' && path.startsWith(`${room}/`)),
  )
  return rooms.toSorted((a, b) => b.length - a.length)[0] ?? ''
}

/** Imports that the tables do not allow, each as a line. */
export function forbidden(files: ReadonlyMap<string, string>): string[] {
  return importsOf(files).flatMap(({ from, to, isType }): string[] => {
    const kept = KEPT.find(({ module }) => module.test(to))
    if (kept !== undefined)
      return kept.within.some((path) => from.startsWith(path)) || (isType && kept.types === true)
        ? []
        : [`${from} imports ${to}: ${kept.why}`]
    if (!files.has(to)) return []
    const [room, target] = [roomOf(from), roomOf(to)]
    const { values, types = [] } = ROOMS[room] ?? { values: [] }
    if (room === target || values.includes(target) || (isType && types.includes(target))) return []
    return [
      `${from} imports ${to}: ${room} may import ${types.includes(target) ? 'only types of' : 'nothing of'} ${target === '' ? 'src/index.ts' : target}`,
    ]
  })
}

/** Files that import one another in a circle, the circles sorted. */
export function cycles(files: ReadonlyMap<string, string>): string[][] {
  const next = new Map([...files.keys()].map((file) => [file, new Set<string>()]))
  for (const { from, to } of importsOf(files)) if (files.has(to)) next.get(from)?.add(to)
  const found: string[][] = []
  const order = new Map<string, number>()
  const lowest = new Map<string, number>()
  const stack: string[] = []
  const visit = (file: string): number => {
    let low = order.size
    order.set(file, low)
    stack.push(file)
    for (const one of next.get(file) ?? []) {
      if (!order.has(one)) low = Math.min(low, visit(one))
      else if (stack.includes(one)) low = Math.min(low, lowest.get(one) ?? order.get(one) ?? low)
      lowest.set(file, low)
    }
    if (low === order.get(file)) {
      const circle = stack.splice(stack.indexOf(file))
      if (circle.length > 1 || next.get(file)?.has(file) === true) found.push(circle.toSorted())
    }
    return low
  }
  for (const file of files.keys()) if (!order.has(file)) visit(file)
  return found
}
