import { readFileSync } from 'node:fs'
import process from 'node:process'

// Loaded into the daemon and every command by NODE_OPTIONS: the wall clock is as far ahead as the
// file SCREENS_CLOCK says (milliseconds), and goes on from there. Timers run as ever.

const RealDate = Date
/** How long what was read holds, so that not every look at the clock is one at the file. */
const HOLDS = 20
let ahead = 0
let readAt = -Infinity

function now() {
  const real = RealDate.now()
  if (real - readAt >= HOLDS) {
    readAt = real
    ahead = Number(readFileSync(process.env.SCREENS_CLOCK, 'utf8'))
  }
  return real + ahead
}

globalThis.Date = class extends RealDate {
  constructor(...parts) {
    if (parts.length === 0) super(now())
    else super(...parts)
  }
  static now() {
    return now()
  }
}
