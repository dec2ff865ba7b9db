import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { defineConfig, type OutputOptions, type RolldownOptions } from 'rolldown'
import { thirdPartyNotices } from './scripts/build/third-party-notices.ts'

/** Of the builds below. */
const BUILDS = 4
const notices = thirdPartyNotices(BUILDS)

/**
 * The programs and the library as few files with the dependencies inside: starting a thousand small
 * modules costs more than what most commands do. What holds native code stays outside: only that, and
 * what the types lead to (zod), is installed with the package. Types come from tsc, and as one file
 * for each entry from rolldown.types.config.js.
 */
const common = {
  platform: 'node',
  resolve: {
    alias: {
      '@modelcontextprotocol/server/_shims': `${import.meta.dirname}/src/surfaces/mcp/sdk-shims.ts`,
    },
  },
  // Ink and ws ask for theirs only where somebody has installed them.
  external: [
    ...['better-sqlite3', '@lydell/node-pty', 'pg-native'],
    ...['react-devtools-core', 'bufferutil', 'utf-8-validate'],
  ],
  // React’s build for developers is twice as large and slower.
  transform: {
    define: {
      'process.env.NODE_ENV': JSON.stringify('production'),
      EXOMONAD_BUILD: JSON.stringify(hashSources()),
    },
  },
  plugins: [notices],
} satisfies RolldownOptions

/**
 * What starts often and by itself is built by itself: what the commands share among them would be
 * cut into some 170 files for the daemon, a quarter of what its start costs.
 */
const apart = (input: Record<string, string>, output: OutputOptions): RolldownOptions => ({
  ...common,
  input,
  output: { dir: 'dist', format: 'esm', ...output },
})

export default defineConfig([
  {
    ...common,
    input: {
      'bin/exomonad': 'src/bin/exomonad.ts',
      index: 'src/index.ts',
      'subagents/index': 'packages/subagents/src/index.ts',
    },
    output: {
      dir: 'dist',
      format: 'esm',
      // All at the top: programs keep their place below src/
      chunkFileNames: '[name]-[hash].js',
      cleanDir: true,
      // What four or more share, in one file: a command that takes 67 is slower by a fifth.
      codeSplitting: {
        groups: [
          {
            debugName: 'shared',
            name: (id, context) =>
              isLight(id, (other) => context.getModuleInfo(other)) ? 'shared' : null,
            minShareCount: 4,
            maxModuleSize: 30_000,
          },
        ],
      },
    },
  },
  apart(
    { 'bin/daemon': 'src/bin/daemon.ts', 'daemon/daemon': 'src/daemon/daemon.ts' },
    { chunkFileNames: 'daemon/[name]-[hash].js' },
  ),
  // One file: it goes on after an upgrade took away what it has not loaded yet.
  apart({ 'bin/detached-host': 'src/bin/detached-host.ts' }, { codeSplitting: false }),
  // Small ones, of which there may be one for each agent.
  apart(
    {
      'subagents/mcp-bridge': 'packages/subagents/src/mcp/mcp-bridge.ts',
      'adapters/terminals/detached/attach': 'src/adapters/terminals/detached/attach.ts',
      'adapters/terminals/detached/follow': 'src/adapters/terminals/detached/follow.ts',
      'bin/sandbox-gate': 'src/bin/sandbox-gate.ts',
      'bin/sandbox-relay': 'src/bin/sandbox-relay.ts',
    },
    { chunkFileNames: 'programs/[name]-[hash].js' },
  ),
])

type ModuleInfo = (id: string) => { readonly importedIds: readonly string[] } | null

const light = new Map<string, boolean>()
/** Of our own, and leads to nothing of others: whoever loads it without need loses little. */
function isLight(id: string, moduleInfo: ModuleInfo): boolean {
  const known = light.get(id)
  if (known !== undefined) return known
  // A circle is as light as what else it leads to.
  light.set(id, true)
  const is =
    id.startsWith('node:') ||
    (isAbsolute(id) &&
      !id.includes('node_modules') &&
      (moduleInfo(id)?.importedIds ?? []).every((other) => isLight(other, moduleInfo)))
  light.set(id, is)
  return is
}

/** The same for the same sources, wherever they are built. */
function hashSources(): string {
  const hash = createHash('sha256')
  for (const folder of ['src', 'packages', 'templates']) {
    const top = join(import.meta.dirname, folder)
    const names = readdirSync(top, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name))
    for (const name of names.toSorted())
      hash.update(name.slice(top.length)).update(readFileSync(name))
  }
  return hash.digest('hex').slice(0, 12)
}
