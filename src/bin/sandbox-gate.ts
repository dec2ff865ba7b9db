import process from 'node:process'
import { openOutside } from '../adapters/sandbox/network/gate.ts'
import { standBetween } from '../adapters/sandbox/network/between.ts'
import { readEnvironment } from '../config/environment.ts'

/** `node sandbox-gate.js PROGRAM…`: see adapters/sandbox/network/gate.ts. */
process.exitCode = await standBetween(process.argv.slice(2), {
  variables: readEnvironment().variables,
  open: openOutside,
  keep: true,
})
