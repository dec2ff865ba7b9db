import { leadEndToEnd } from '../as-lead.ts'
import { gemini } from '../clis/gemini.ts'

leadEndToEnd(gemini)
