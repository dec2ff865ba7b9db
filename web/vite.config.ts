import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'
import { thirdPartyNotices } from '../scripts/build/third-party-notices.ts'

/** Where a running daemon serves the page (web/dev.ts): its API is what the page speaks to. */
const daemon = process.env['EXOMONAD_PAGE']

/**
 * Chromium compiles the first view’s script while it is coming, beside the main thread, and not each
 * function when it is called first.
 */
function compiledEarly(): Plugin {
  return {
    name: 'compiled-early',
    generateBundle: {
      // Below what Vite puts on top of it, it would not count.
      order: 'post',
      handler(_options, bundle) {
        for (const file of Object.values(bundle))
          if (file.type === 'chunk' && file.isEntry)
            file.code = `//# allFunctionsCalledOnLoad\n${file.code}`
      },
    },
  }
}

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), thirdPartyNotices(), compiledEarly()],
  build: {
    outDir: '../dist/web',
    emptyOutDir: true,
    target: 'es2023',
    // Nothing is written into the page as `data:`, so that the policy need not allow it for fonts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1200,
    rolldownOptions: {
      output: {
        // All of the first view is one file: each further one is a round trip before it is drawn.
        codeSplitting: { groups: [{ name: 'index', tags: ['$initial'] }] },
      },
    },
  },
  server: {
    host: '127.0.0.1',
    ...(daemon === undefined
      ? {}
      : {
          proxy: {
            '^/(v1|session|open|openapi.json)': { target: daemon, ws: true, changeOrigin: false },
          },
        }),
  },
})
