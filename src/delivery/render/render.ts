import type { StoredEvent } from '../../domain/records.ts'
import { ExomonadError } from '../../domain/errors.ts'
import type { Log } from '../../runtime/log.ts'
import { stripControls } from '../../sanitize/controls.ts'
import type { KnownSecrets } from '../../sanitize/secrets.ts'
import { guardMessage } from './escape.ts'
import { templateData, type EventContext } from './template-data.ts'
import { createTemplateEngine } from './template-engine.ts'
import { createTemplateFiles } from './template-files.ts'

export type PromptName =
  | 'root'
  | 'subtree'
  | 'worker'
  | 'fork'
  | 'resume'
  | 'session'
  | 'subagent'
  | 'worktree-warning'
  | 'guidance'

/** What prompts are made of: plain data, put in as it is. */
export interface PromptData {
  readonly task: string
  readonly name: string
  readonly agent_id: string
  readonly branch: string
  /** Branch its pull request goes to; empty for a root without one. */
  readonly base: string
  readonly worktree: string
  readonly parent_id?: string
  readonly parent_name?: string
  /** Its worktree and branch are its parent’s. */
  readonly shares_worktree?: boolean
  /** Of its worktree; empty where it has none. */
  readonly slot?: string
  /** The first of its 20 ports. */
  readonly port_base?: string
  /** What a fork knows of its parent’s work. */
  readonly context?: 'forked' | 'transcript' | 'fresh'
  /** Absolute path of the file with that, for `transcript`. */
  readonly transcript?: string
  /** What the caller gave a session to know, key by key. */
  readonly facts?: readonly { readonly key: string; readonly value: string }[]
  /** Goes in front of everything else. */
  readonly system_prompt?: string
  /** What it may call, as its role allows. */
  readonly tools?: readonly { readonly name: string; readonly description: string }[]
}

/** Templates may look at every one of these. */
const NOTHING: Partial<PromptData> = {
  parent_id: '',
  parent_name: '',
  shares_worktree: false,
  slot: '',
  port_base: '',
  context: 'fresh',
  transcript: '',
  facts: [],
  system_prompt: '',
  tools: [],
}

export interface Renderer {
  /**
   * The event in words for one recipient. Empty: nothing is to be sent. Never throws for a bad
   * template.
   */
  render(
    event: Pick<StoredEvent, 'type' | 'seq' | 'actor' | 'payload'>,
    context: EventContext,
  ): Promise<string>
  /**
   * A first prompt. Templates also get `worktree_warning` and, where tools are given, `guidance`,
   * rendered from the same data. Throws INTERNAL where the shipped template does not render either.
   */
  renderPrompt(name: PromptName, data: PromptData): Promise<string>
}

/**
 * Turns events into words. A file of the same name in the override folder wins; one that does not
 * parse or render is passed over with a warning, for the shipped one.
 */
export function createRenderer(deps: {
  readonly shippedFolder: string
  /** The user’s `.exomonad/templates` where it may be used, else null. */
  readonly overrideFolder: () => Promise<string | null>
  readonly log: Log
  /** Values that must never be sent. */
  readonly secrets?: KnownSecrets
}): Renderer {
  const engine = createTemplateEngine()
  const load = createTemplateFiles(engine)

  const fill = async (name: string, data: Record<string, unknown>): Promise<string | undefined> => {
    const override = await deps.overrideFolder().catch((error: unknown) => {
      deps.log.warn(
        { err: error },
        'the folder of your own templates could not be looked at; the shipped ones are used',
      )
      return null
    })
    for (const folder of override === null
      ? [deps.shippedFolder]
      : [override, deps.shippedFolder]) {
      const loaded = await load(folder, name)
      if (loaded.kind === 'absent') continue
      try {
        if (loaded.kind === 'broken') throw loaded.error
        return String(await engine.render(loaded.template, structuredClone(data)))
      } catch (error) {
        deps.log.warn(
          { err: error, template: loaded.path },
          'template failed; the next in line is used',
        )
      }
    }
    return undefined
  }

  const renderPrompt = async (name: PromptName, data: PromptData): Promise<string> => {
    const all: Record<string, unknown> = { ...NOTHING, ...data, worktree_warning: '', guidance: '' }
    if (name !== 'worktree-warning' && name !== 'guidance') {
      all['worktree_warning'] = await renderPrompt('worktree-warning', data)
      if (data.tools !== undefined && data.tools.length > 0)
        all['guidance'] = await renderPrompt('guidance', data)
    }
    const text = await fill(`prompts/${name}`, all)
    if (text === undefined)
      throw new ExomonadError(
        'INTERNAL',
        `No template for the prompt "${name}" can be rendered, not even the shipped one. Where exomonad was uninstalled or upgraded since the daemon started: \`exomonad daemon stop; exomonad daemon start\` (agents go on meanwhile). \`exomonad daemon logs\` has more.`,
        { name },
      )
    return stripControls(text)
      .replace(/\n{3,}/g, '\n\n')
      .trim()
  }

  return {
    render: async (event, context) => {
      const data = templateData(event, context, deps.secrets)
      const text = await fill(event.type, data)
      // A fault in a template must not swallow what it was to say.
      return guardMessage(
        text ?? `[${event.type.toUpperCase()}] ${context.agent.name}: ${JSON.stringify(data)}`,
      )
    },
    renderPrompt,
  }
}
