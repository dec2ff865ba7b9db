/** What `init` writes as `.exomonad/config.toml`. Short on purpose: `.exomonad.example/config.toml` has every key. */
export const INITIAL_CONFIG = `# exomonad's configuration of this repository. You may commit it; others must then run \`exomonad trust\` before it runs anything.
# Check it with \`exomonad config check\`. Every key there is, explained: .exomonad.example/config.toml in the package.

# Which program runs the agents of each role. tl: tech leads, who spawn, review and merge. dev: workers.
# [roles.tl]
# agent = "mine"
# [roles.dev]
# agent = "mine"

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
