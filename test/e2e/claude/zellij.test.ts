import { zellijEndToEnd } from '../as-worker.ts'
import { claude } from '../clis/claude.ts'

/** It draws its box for prompts and reports by hooks. */
zellijEndToEnd(claude, { closes: true })
