import { workerEndToEnd } from '../as-worker.ts'
import { gemini } from '../clis/gemini.ts'

workerEndToEnd(gemini)
