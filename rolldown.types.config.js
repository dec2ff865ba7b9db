import { defineConfig } from 'rolldown'
import { dts } from 'rolldown-plugin-dts'

/**
 * The declarations that tsc wrote as one file for each entry, beside its program. What no exported
 * name leads to is left out, and with it the types of packages that are bundled: of others’, the
 * declarations name zod alone (test/integration/cli/package.test.ts).
 */
export default defineConfig({
  input: {
    index: './dist/types/src/index.d.ts',
    'subagents/index': './dist/types/packages/subagents/src/index.d.ts',
  },
  platform: 'node',
  treeshake: { moduleSideEffects: false },
  plugins: [dts({ dtsOnly: true, oxc: true, tsconfig: false })],
  external: (id) => !id.startsWith('.') && !id.startsWith('/'),
  output: {
    dir: 'dist',
    format: 'esm',
    entryFileNames: '[name].d.ts',
    chunkFileNames: 'subagents/types-[hash].js',
  },
})
