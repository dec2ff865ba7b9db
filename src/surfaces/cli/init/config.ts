import { AGENT_CLI_NAMES } from '../../../adapters/agent-cli/known.ts'
import { MULTIPLEXER_COMMENT, multiplexerLines } from '../../../config/multiplexer-kind.ts'
import type { Config } from '../../../config/schema.ts'

/**
 * Where pull requests are to live. `host`: where the remote’s URL is no proof that it is GitHub.
 */
export type InitialForge =
  | { readonly kind: 'local' }
  | { readonly kind: 'github'; readonly host: string | null }

/**
 * What `init` writes as `.exomonad/config.toml`. Short on purpose: `.exomonad.example/config.toml`
 * has every key. `agent`: of both roles. `multiplexer`: null for `auto`.
 */
export const initialConfig = (
  agent: string | null,
  forge: InitialForge = { kind: 'local' },
  multiplexer: Config['multiplexer']['kind'] | null = null,
): string => `# exomonad's configuration of this repository. You may commit it; others must then run \`exomonad trust\` before it runs anything.
# Check it with \`exomonad config check\`. Every key there is, explained: .exomonad.example/config.toml in the package.

# Which program runs the agents of each role: ${AGENT_CLI_NAMES.join(', ')}, or one of your own.
# tl: tech leads, who spawn, review and merge. dev: workers.
${roles(agent)}

# Who decides over what that program would ask a person about: off (it asks in its terminal), ask (your inbox), list, all.
# [roles.dev.permissions]
# policy = "ask"

# Any program that reads its terminal can be an agent. It finds its task in {{prompt_file}}.
# [agents.mine]
# adapter = "command"
# command = ["my-agent", "--task", "{{prompt_file}}"]

# Where pull requests live: "local", in this repository's own folder, or "github" (see docs/github.md in the package).
${forgeLines(forge)}

# For kind = "local": the command that checks each pull request, in a throwaway worktree of its head.
# [forge.local]
# ci = ["npm", "test"]

# Where agents have their terminals: "tmux", "headless" (terminals of exomonad's own), "auto": tmux where it is installed, else headless; or "zellij":
# as with "auto", and shown in Zellij.
${multiplexer === null ? MULTIPLEXER_COMMENT : multiplexerLines(multiplexer)}

# Ignored files that new worktrees need, and commands that prepare them.
# [worktree]
# include = [".env"]
# setup = [["npm", "ci"]]

# Where you are told that you are needed: a question to the root, an approval, a failed agent. docs/overnight.md has
# webhooks, a command and the terminal; \`exomonad notify test\` tries them.
# [notify.targets.desktop]
# kind = "desktop"
`

/**
 * The same with a program for both roles, where they stand as they were written without one; null
 * where somebody has said otherwise.
 */
export const withAgent = (text: string, agent: string): string | null =>
  text.includes(roles(null)) && !/^\s*\[?roles\b/m.test(text)
    ? text.replace(roles(null), () => roles(agent))
    : null

const forgeLines = (forge: InitialForge): string =>
  forge.kind === 'local'
    ? '# [forge]\n# kind = "github"'
    : [
        '[forge]',
        'kind = "github"',
        ...(forge.host === null ? [] : ['[forge.github]', `host = ${JSON.stringify(forge.host)}`]),
      ].join('\n')

function roles(agent: string | null): string {
  const [example = ''] = AGENT_CLI_NAMES
  return ['tl', 'dev']
    .flatMap((role) => [`[roles.${role}]`, `agent = "${agent ?? example}"`])
    .map((line) => (agent === null ? `# ${line}` : line))
    .join('\n')
}
