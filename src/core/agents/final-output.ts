import type { Agent } from '../../domain/records.ts'
import type { Deps } from '../deps.ts'
import { withoutFirstPrompt } from '../../domain/formats/session-log.ts'
import { isLasting } from '../../domain/lifecycle.ts'

/** What an agent left to be read. */
export interface FinalOutput {
  /** Of a session the model’s last message, where it wrote one; of all else what was shown. */
  readonly text: string
  readonly turns: number
  /** Why its turn ended, in the words of the Agent Client Protocol. */
  readonly reason: string | null
}

/**
 * `transcript`: what was read of its pane just now, which may be nothing; undefined: it is read
 * now.
 */
export type FinalOutputOf = (agent: Agent, transcript?: string) => Promise<FinalOutput>

/** Kept of what a program wrote: lines, and characters where these are long. */
const LINES = 1000
const LONGEST = 200_000
/**
 * Looked at before the pane is closed. What a host that is gone can’t report any more stands in the
 * output’s file.
 */
export function createFinalOutput({
  detached,
  multiplexer,
  files,
}: Pick<Deps, 'detached' | 'multiplexer' | 'files'>): FinalOutputOf {
  const shown = async (agent: Agent): Promise<string> => {
    const { paneId, id } = agent
    const pane =
      paneId === null ? undefined : await multiplexer.inspect(paneId).catch(() => undefined)
    if (paneId !== null && pane?.agentId === id) {
      const text = await multiplexer.capture(paneId, { lines: LINES }).catch(() => undefined)
      if (text !== undefined) return text
    }
    return (
      (agent.runtime === 'pane' ? null : await files.readOutput(id)) ??
      (await files.readTranscript(id)) ??
      ''
    )
  }

  const written = async (agent: Agent, transcript: string | undefined): Promise<string> => {
    const text = transcript ?? (await shown(agent))
    return agent.runtime === 'acp' ? withoutFirstPrompt(text) : text
  }

  return async (agent, transcript) => {
    const session =
      agent.runtime !== 'acp' || agent.paneId === null
        ? undefined
        : await detached.session(agent.paneId).catch(() => undefined)
    const own = session?.agentId === agent.id ? session : undefined
    const said = own?.lastText ?? ''
    const text =
      said === '' || isLasting(agent)
        ? lastLines(await written(agent, transcript), { marked: agent.runtime !== 'pane' })
        : said
    return { text, turns: own?.turns ?? 0, reason: own?.reason ?? null }
  }
}

const CUT = /^\[The beginning is not shown[^\n]*\]\n/

/**
 * An output as it reads now: of one that is not whole, where the rest is. That changes after it was
 * put on record, so it doesn’t stand there.
 */
export async function withPlace(output: string, place: () => Promise<string>): Promise<string> {
  return CUT.test(output)
    ? `[The beginning is not shown; ${await place()}]\n${output.replace(CUT, '')}`
    : output
}

/** The end of a text, within bounds; `marked`: where there was more, its first line says so. */
export function lastLines(text: string, { marked }: { marked: boolean }): string {
  const lines = text.trimEnd().split('\n')
  const kept = lines.slice(-LINES).join('\n')
  const end = kept.length > LONGEST ? kept.slice(-LONGEST).replace(/^[\uDC00-\uDFFF]/, '') : kept
  const isCut = lines.length >= LINES || end.length < kept.length || text.length >= LONGEST
  return isCut && marked ? `[The beginning is not shown]\n${end}` : end
}
