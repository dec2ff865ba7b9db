import { leadEndToEnd } from '../as-lead.ts'
import { claude } from '../clis/claude.ts'

leadEndToEnd(claude)
