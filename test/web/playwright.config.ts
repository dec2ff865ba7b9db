import { existsSync } from 'node:fs'
import process from 'node:process'
import { defineConfig } from '@playwright/test'

/** Where Debian has it; EXOMONAD_CHROMIUM names another. */
const chromium = [process.env['EXOMONAD_CHROMIUM'], '/usr/bin/chromium'].find(
  (path) => path !== undefined && existsSync(path),
)
if (chromium === undefined)
  throw new Error('The tests of the page need Chromium: `apt-get install chromium`.')

/**
 * The page in Chromium, against the real daemon with scripted agents. A worker has one browser and
 * one daemon, which all tests share that don’t end it (fixtures.ts).
 */
export default defineConfig({
  testDir: import.meta.dirname,
  testMatch: '**/*.spec.ts',
  outputDir: '../../node_modules/.cache/web-tests',
  globalSetup: '../global-setup.ts',
  workers: 2,
  forbidOnly: process.env['CI'] !== undefined,
  reporter: [['list']],
  // A browser and a daemon on a machine that does much beside them.
  timeout: 240_000,
  expect: { timeout: 60_000 },
  use: {
    browserName: 'chromium',
    actionTimeout: 60_000,
    navigationTimeout: 60_000,
    viewport: { width: 1280, height: 800 },
    launchOptions: {
      executablePath: chromium,
      // Chromium has no sandbox of its own for root.
      chromiumSandbox: process.getuid?.() !== 0,
    },
  },
})
