import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { thirdPartyNotices } from '../scripts/build/third-party-notices.ts'

/** Where a running daemon serves the page (web/dev.ts): its API is what the page speaks to. */
const daemon = process.env['EXOMONAD_PAGE']

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), thirdPartyNotices()],
  build: {
    outDir: '../dist/web',
    emptyOutDir: true,
    target: 'es2023',
    // Nothing is written into the page as `data:`, so that the policy need not allow it for fonts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1200,
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
