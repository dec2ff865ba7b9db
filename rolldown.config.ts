import { defineConfig } from 'rolldown'

/**
 * The programs and the library as few files with the dependencies inside: starting a thousand small modules costs more than what most
 * commands do. What holds native code stays outside. Types come from tsc.
 */
export default defineConfig({
  platform: 'node',
  resolve: { alias: { '@modelcontextprotocol/server/_shims': `${import.meta.dirname}/src/surfaces/mcp/sdk-shims.ts` } },
  external: ['better-sqlite3', '@lydell/node-pty'],
  input: {
    bin: 'src/bin.ts',
    daemon: 'src/daemon.ts',
    index: 'src/index.ts',
    'adapters/multiplexer/headless/host': 'src/adapters/multiplexer/headless/host.ts',
    'adapters/multiplexer/headless/attach': 'src/adapters/multiplexer/headless/attach.ts',
  },
  output: {
    dir: 'dist',
    format: 'esm',
    // All at the top, where package-root.ts expects to be.
    chunkFileNames: '[name]-[hash].js',
    cleanDir: true,
  },
})
