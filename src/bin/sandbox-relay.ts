import process from 'node:process'
import { standBetween } from '../adapters/sandbox/network/between.ts'
import { openInside } from '../adapters/sandbox/network/relay.ts'
import { readEnvironment } from '../config/environment.ts'

/** `node sandbox-relay.js PROGRAM…`: see adapters/sandbox/network/relay.ts. */
process.exitCode = await standBetween(process.argv.slice(2), {
  variables: readEnvironment().variables,
  open: openInside,
  keep: false,
})
