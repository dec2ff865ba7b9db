import { defineConfig } from 'vitest/config'

/**
 * The unit tests alone, for StrykerJS (stryker.config.js): one project, and nothing that starts a
 * daemon.
 */
export default defineConfig({
  test: {
    setupFiles: ['test/property-size.ts', 'test/mutation/same-seed.ts'],
    include: [
      'test/unit/{core,delivery,pull-watch,domain,config,adapters/forge}/**/*.test.ts',
      'test/unit/*.test.ts',
    ],
    exclude: ['test/unit/{docs,lint,zellij-required}.test.ts'],
    testTimeout: 60_000,
  },
})
