import { terminalEndToEnd } from '../as-worker.ts'
import { codex } from '../clis/codex.ts'

terminalEndToEnd(codex)
