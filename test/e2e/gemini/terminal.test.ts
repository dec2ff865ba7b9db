import { terminalEndToEnd } from '../as-worker.ts'
import { gemini } from '../clis/gemini.ts'

terminalEndToEnd(gemini)
