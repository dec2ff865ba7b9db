import { terminalEndToEnd } from '../as-worker.ts'
import { claude } from '../clis/claude.ts'

terminalEndToEnd(claude)
