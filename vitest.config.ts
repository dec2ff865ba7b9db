import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import LongFilesFirst from './test/long-files-first.ts'

/** Most of a test is waiting for what others do: three files for each core keep it busy. */
const WORKERS = Math.max(2, Math.min(8, 3 * availableParallelism()))

/**
 * `expect.poll` by itself looks for no more than one second, which a busy machine takes. As long as
 * waitFor does, and less than a test may take. Milliseconds.
 */
const EXPECT = { poll: { timeout: 45_000 } }

/**
 * Of whole tests, by what the slowest took at a load of 12 on two cores: 9.9 s of the unit tests, 66
 * s of those with a daemon. Those wait more than once, and each wait is to say what it was for.
 * Milliseconds.
 */
const TIMEOUT = { unit: 60_000, conformance: 120_000, integration: 240_000 }

/** Of files that replace modules: each has a process of its own. */
const APART = 'test/unit/**/*.apart.test.ts'

/**
 * Five projects: unit (pure parts), apart (those that can't share a process), conformance (one suite
 * per adapter interface, against real git, tmux and processes), integration (the real daemon) and
 * e2e (the real agent CLIs against a mock model). The unit tests run first, the agent CLIs last and
 * by themselves: those have limits of their own. All but apart share processes: a new one for each
 * file took two thirds of what the unit tests take.
 */
export default defineConfig({
  test: {
    globalSetup: ['test/global-setup.ts'],
    pool: 'forks',
    reporters: ['default', './test/reporters/requirements.ts', './test/reporters/slowest.ts'],
    maxWorkers: WORKERS,
    sequence: { sequencer: LongFilesFirst },
    coverage: { include: ['src/**', 'packages/**'], autoAttachSubprocess: true },
    projects: [
      {
        test: {
          name: 'unit',
          setupFiles: ['test/property-size.ts'],
          include: ['test/unit/**/*.test.ts', 'test/*.test.ts'],
          exclude: [APART],
          isolate: false,
          testTimeout: TIMEOUT.unit,
          hookTimeout: TIMEOUT.unit,
          expect: EXPECT,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: 'apart',
          include: [APART],
          testTimeout: TIMEOUT.unit,
          expect: EXPECT,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: 'conformance',
          setupFiles: ['test/property-size.ts', 'test/failure-logs.ts'],
          include: ['test/conformance/**/*.test.ts'],
          isolate: false,
          testTimeout: TIMEOUT.conformance,
          hookTimeout: TIMEOUT.conformance,
          expect: EXPECT,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: 'integration',
          setupFiles: ['test/property-size.ts', 'test/failure-logs.ts'],
          include: ['test/integration/**/*.test.ts'],
          isolate: false,
          testTimeout: TIMEOUT.integration,
          hookTimeout: TIMEOUT.integration,
          expect: EXPECT,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: 'e2e',
          setupFiles: ['test/property-size.ts', 'test/failure-logs.ts'],
          // An agent CLI takes a core while it starts, up to a gigabyte of memory, and mostly waits
          // then.
          maxWorkers: 3,
          include: ['test/e2e/**/*.test.ts'],
          isolate: false,
          testTimeout: 480_000,
          hookTimeout: 120_000,
          expect: EXPECT,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
})
