/** What `init` writes as `.exomonad/config.toml`. Short on purpose: `.exomonad.example/config.toml` has every key. `agent`: of both roles. */
export const initialConfig = (
  agent: string | null,
): string => `# exomonad's configuration of this repository. You may commit it; others must then run \`exomonad trust\` before it runs anything.
# Check it with \`exomonad config check\`. Every key there is, explained: .exomonad.example/config.toml in the package.

# Which program runs the agents of each role: claude, gemini, codex, opencode, or one of your own.
# tl: tech leads, who spawn, review and merge. dev: workers.
${roles(agent)}

# Who decides over what that program would ask a person about: off (it asks in its terminal), ask (your inbox), list, all.
# [roles.dev.permissions]
# policy = "ask"

# Any program that reads its terminal can be an agent. It finds its task in {{prompt_file}}.
# [agents.mine]
# adapter = "command"
# command = ["my-agent", "--task", "{{prompt_file}}"]

# The command that checks each pull request, in a throwaway worktree of its head.
# [forge.local]
# ci = ["npm", "test"]

# Ignored files that new worktrees need, and commands that prepare them.
# [worktree]
# include = [".env"]
# setup = [["npm", "ci"]]

# Run when you are needed: a question to the root, an approval, a failed agent. The text is its last argument.
# [notify]
# command = ["notify-send", "exomonad"]
`

const roles = (agent: string | null): string =>
  ['[roles.tl]', `agent = "${agent ?? 'claude'}"`, '[roles.dev]', `agent = "${agent ?? 'claude'}"`]
    .map((line) => (agent === null ? `# ${line}` : line))
    .join('\n')
