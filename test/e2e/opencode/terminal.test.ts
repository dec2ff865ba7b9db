import { terminalEndToEnd } from '../as-worker.ts'
import { opencode } from '../clis/opencode.ts'

terminalEndToEnd(opencode)
