import { claude } from './claude/claude.ts'
import { codex } from './codex/codex.ts'
import { gemini } from './gemini/gemini.ts'
import { opencode } from './opencode/opencode.ts'

/** Every agent CLI exomonad knows, the best to take first where several are on a machine. */
export const AGENT_CLIS = [claude, gemini, codex, opencode] as const
