/**
 * What the agent CLIs of people are given: slash commands, a skill, a hook, in the format of each
 * (`plugins/`). One source, since the four differ in their files and in nothing else.
 */

interface SlashCommand {
  readonly name: string
  readonly description: string
  /** What it takes, as its hint shows it. */
  readonly argument?: string
  /** A command of exomonad whose output comes first; `ARGUMENTS` stands for what was typed. */
  readonly shown?: string
  /** What the model is to do. `ARGUMENTS` as above. */
  readonly prompt: string
}

const COMMANDS: readonly SlashCommand[] = [
  {
    name: 'tree',
    description: 'How the tree of agents stands: who works, who waits, what needs you',
    shown: 'exomonad tree',
    prompt:
      'This is the tree of exomonad’s agents in this repository. Say in a few lines how it stands: what is done, who works on what, who waits for what, and what needs me, with the command for it. Add nothing that isn’t in there.',
  },
  {
    name: 'next',
    description: 'Go through what needs you: questions, approvals, pull requests, failures',
    shown: 'exomonad inbox',
    prompt:
      'These are the things in exomonad’s inbox that need me. Take the first: look at what it is about (`exomonad pr diff`, `exomonad logs`, the code), say in a few sentences what you would decide and why, and show the very command. Run it only once I agree; then go on with the next one.',
  },
  {
    name: 'grow',
    description: 'Split a task among agents, each with a branch and a worktree of its own',
    argument: '<task>',
    prompt:
      'Use the skill split-work for this task: ARGUMENTS\n\nLook at the code first. If it isn’t worth splitting, say so and stop. Otherwise write the parts to a file of tasks outside of the repository, show me what `exomonad spawn workers --file FILE --dry-run` makes of it, and spawn only once I agree.',
  },
  {
    name: 'review',
    description: 'Review the pull request of an agent',
    argument: '<agent or number>',
    shown: 'exomonad pr diff ARGUMENTS',
    prompt:
      'Review this pull request of one of exomonad’s agents. Read the code around it, look for what is wrong, missing or was not asked for, and for tests that cannot fail. List findings by weight, each with file and line. Then propose either `exomonad pr merge` or `exomonad pr review --request-changes` with line comments, and run it only once I agree.',
  },
]

const SUMMARY =
  'A tree of coding agents on a tree of git branches: see how it stands, decide what needs you, split a task, review what comes back'

export interface PluginFacts {
  readonly version: string
  readonly homepage: string
  readonly repository: string
  readonly mcpName: string
  /** The text of plugins/skills/split-work/SKILL.md. */
  readonly skill: string
}

/** Every file that is made, by its path in the repository. */
export function renderPlugins(facts: PluginFacts): ReadonlyMap<string, string> {
  const files = new Map<string, string>()
  const { version, homepage, repository } = facts
  const about = { name: 'exomonad', version, description: SUMMARY }
  const author = { name: 'the exomonad authors' }
  const origin = { author, homepage, repository, license: 'MIT', keywords: ['agents', 'git'] }

  for (const name of ['claude-code', 'gemini-cli', 'codex', 'opencode'])
    files.set(`plugins/${name}/skills/split-work/SKILL.md`, facts.skill)
  for (const command of COMMANDS) {
    const { name } = command
    files.set(`plugins/claude-code/commands/${name}.md`, claudeCommand(command))
    files.set(`plugins/gemini-cli/commands/exomonad/${name}.toml`, geminiCommand(command))
    files.set(`plugins/opencode/commands/exomonad-${name}.md`, openCodeCommand(command))
  }

  files.set('plugins/claude-code/.claude-plugin/plugin.json', json({ ...about, ...origin }))
  // Seconds, and milliseconds.
  files.set('plugins/claude-code/hooks/hooks.json', hooks('${CLAUDE_PLUGIN_ROOT}', 5))
  files.set('plugins/gemini-cli/gemini-extension.json', json(about))
  files.set('plugins/gemini-cli/hooks/hooks.json', hooks('${extensionPath}', 5000))
  for (const name of ['claude-code', 'gemini-cli'])
    files.set(`plugins/${name}/hooks/attention.sh`, ATTENTION)
  const codex = 'plugins/codex/.codex-plugin/plugin.json'
  files.set(codex, json({ ...about, ...origin, skills: './skills/' }))

  files.set('server.json', registryEntry(facts))
  // Of the repository, and of the package that npm installs.
  files.set('.claude-plugin/marketplace.json', claudeMarketplace(version))
  files.set('.agents/plugins/marketplace.json', codexMarketplace())
  return files
}

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`

const claudeMarketplace = (version: string): string =>
  json({
    name: 'exomonad',
    owner: { name: 'the exomonad authors' },
    metadata: { description: SUMMARY, version },
    plugins: [{ name: 'exomonad', source: './plugins/claude-code', description: SUMMARY, version }],
  })

const codexMarketplace = (): string =>
  json({
    name: 'exomonad',
    interface: { displayName: 'exomonad' },
    plugins: [
      {
        name: 'exomonad',
        source: { source: 'local', path: './plugins/codex' },
        policy: { installation: 'AVAILABLE', authentication: 'ON_INSTALL' },
        category: 'Productivity',
      },
    ],
  })

/** The entry of the registry of MCP servers, which compares its name with package.json’s `mcpName`. */
const registryEntry = ({ version, homepage, repository, mcpName }: PluginFacts): string =>
  json({
    $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
    name: mcpName,
    title: 'exomonad',
    description: 'Tools of a tree of coding agents on git branches: spawn, ask, review and merge',
    version,
    websiteUrl: homepage,
    repository: { url: repository, source: 'github' },
    packages: [
      {
        registryType: 'npm',
        identifier: 'exomonad',
        version,
        runtimeHint: 'npx',
        transport: { type: 'stdio' },
        packageArguments: [{ type: 'positional', value: 'mcp' }],
      },
    ],
  })

/** Claude Code and Gemini CLI have the same shape for it, and other units. */
const hooks = (folder: string, timeout: number): string =>
  json({
    hooks: {
      SessionStart: [
        { hooks: [{ type: 'command', command: `sh "${folder}/hooks/attention.sh"`, timeout }] },
      ],
    },
  })

const ATTENTION = `#!/bin/sh
# When a session begins: has the model know how many things of this repository's tree need the person. Says nothing where
# there is no daemon, nothing needs them, or the session is one of exomonad's agents, which are told by other means.
[ -z "$EXOMONAD_AGENT_ID" ] || exit 0
command -v exomonad >/dev/null 2>&1 || exit 0
# Such as "exo 3 * 1 !": the number before the mark.
words=$(exomonad status --short 2>/dev/null) || exit 0
case $words in *" !") ;; *) exit 0 ;; esac
items=\${words% !}
items=\${items##* }
printf '{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"Of exomonad, the tree of coding agents of this repository, the person is needed for: %s (exomonad inbox lists what)."}}\\n' "$items"
`

const withArguments = (text: string, placeholder: string): string =>
  text.replaceAll('ARGUMENTS', placeholder)

function claudeCommand({ description, argument, shown, prompt }: SlashCommand): string {
  const allowed = shown === undefined ? '' : shown.replace(' ARGUMENTS', '')
  const front = [
    `description: ${JSON.stringify(description)}`,
    ...(argument === undefined ? [] : [`argument-hint: ${JSON.stringify(argument)}`]),
    ...(allowed === '' ? [] : [`allowed-tools: Bash(${allowed}:*)`]),
  ]
  return markdown(front, shown, prompt)
}

const openCodeCommand = ({ description, shown, prompt }: SlashCommand): string =>
  markdown([`description: ${JSON.stringify(description)}`], shown, prompt)

function markdown(front: readonly string[], shown: string | undefined, prompt: string): string {
  const body = [...(shown === undefined ? [] : ['!`' + shown + '`']), prompt].join('\n\n')
  return `---\n${front.join('\n')}\n---\n\n${withArguments(body, '$ARGUMENTS')}\n`
}

function geminiCommand({ description, shown, prompt }: SlashCommand): string {
  const body = [...(shown === undefined ? [] : [`!{${shown}}`]), prompt].join('\n\n')
  return `description = ${JSON.stringify(description)}\nprompt = """\n${withArguments(body, '{{args}}')}\n"""\n`
}
