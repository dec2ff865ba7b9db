/** Every page, in the order of a reader; test/unit/docs/pages.test.ts says which is missing. */
const page = (text: string, link: string) => ({ text, link })

export const SIDEBAR = [
  {
    text: 'Start',
    items: [
      page('A first tree in five minutes', '/guide'),
      page('How to think of it', '/concepts'),
      page('Preparing a repository', '/repository'),
    ],
  },
  {
    text: 'Every day',
    items: [
      page('Daily use', '/daily'),
      page('The console', '/console'),
      page('Pull requests and checks', '/checks'),
      page('Conflicts, foretold', '/conflicts'),
      page('Without a terminal', '/headless'),
      page('Overnight, and being told', '/overnight'),
      page('What a person sees', '/attention'),
      page('The page in a browser', '/web'),
      page('Cost and limits', '/cost'),
      page('Recipes', '/recipes'),
    ],
  },
  {
    text: 'Agents',
    items: [
      page('Claude Code', '/agents/claude'),
      page('Gemini CLI', '/agents/gemini'),
      page('Codex', '/agents/codex'),
      page('OpenCode', '/agents/opencode'),
      page('Any other program', '/any-program'),
      page('Agent Client Protocol', '/acp'),
      page('MCP', '/mcp'),
      page('tmux, Zellij or neither', '/terminals'),
      page('In your shell and your own agent', '/integrations'),
    ],
  },
  {
    text: 'Where it works',
    items: [
      page('Systems', '/platforms'),
      page('GitHub', '/github'),
      page('Gitea and Forgejo', '/gitea'),
      page('On another machine', '/elsewhere'),
      page('On PostgreSQL', '/postgres'),
    ],
  },
  {
    text: 'Safety',
    items: [
      page('Security and permissions', '/security'),
      page('The sandbox', '/sandbox'),
      page('How it keeps its promises', '/promises'),
    ],
  },
  {
    text: 'When something is off',
    items: [
      page('Troubleshooting', '/troubleshooting'),
      page('Upgrades and recovery', '/recovery'),
    ],
  },
  {
    text: 'Compared',
    items: [page('With others', '/comparison'), page('Coming from another tool', '/coming-from')],
  },
  {
    text: 'Reference',
    items: [
      page('What there is', '/reference'),
      page('Commands', '/reference/commands'),
      page('Tools', '/reference/tools'),
      page('Configuration', '/reference/configuration'),
      page('Events', '/reference/events'),
      page('Error codes', '/reference/errors'),
      page('HTTP', '/reference/http'),
      page('As a library', '/library'),
    ],
  },
  {
    text: 'Inside',
    items: [
      page('Architecture', '/architecture'),
      page('Benchmarks', '/benchmarks'),
      page('Contributing', '/contributing'),
    ],
  },
]
