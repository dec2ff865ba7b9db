/**
 * `npm run mutate`: mutation tests of the pure parts, incremental: what was neither changed nor is
 * tested otherwise by now is not run again. The rest, which needs a daemon to show anything, has a
 * list of its own: test/mutation/mutants.ts.
 */
export default {
  testRunner: 'vitest',
  // None: its reader of tsconfig needs an older TypeScript's API, and nothing is compiled here.
  tsconfigFile: 'none',
  ignorePatterns: ['dist', 'test/agent-clis', 'docs'],
  vitest: { configFile: 'test/mutation/vitest.config.ts' },
  // The router, the rules of merging and stopping, states, review decisions, differences of pull
  // requests, rendering, ids, waits, trust.
  mutate: [
    'src/delivery/{router,withdrawal}.ts',
    'src/delivery/render/{render,escape}.ts',
    'src/pull-watch/pull-events.ts',
    'src/core/pulls/merge/{rules,words,refusal}.ts',
    'src/core/turns/stop-check.ts',
    'src/core/mail/wait-words.ts',
    'src/core/fold/{search,red-set}.ts',
    'src/adapters/forge/review-decision.ts',
    'src/domain/{ids,fork-name,rebased-heads,lifecycle}.ts',
    'src/config/trust.ts',
  ],
  // Of what runs once, when a file is loaded: each would take the whole suite.
  ignoreStatic: true,
  incremental: true,
  incrementalFile: 'coverage/mutation.json',
  reporters: ['clear-text', 'progress', 'html'],
  htmlReporter: { fileName: 'coverage/mutation.html' },
  clearTextReporter: { allowColor: false, reportTests: false },
  thresholds: { high: 95, low: 90, break: 90 },
  tempDirName: 'coverage/stryker',
  concurrency: 2,
  // For a loop without an end, on top of what the tests and their start take; what still runs then
  // counts as killed.
  timeoutMS: 5_000,
}
