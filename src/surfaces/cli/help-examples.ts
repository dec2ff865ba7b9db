import type { Command } from 'commander'
import { SPECS } from './tool-specs.ts'

/** Of commands that are no tool; the others have theirs in the tool’s file. Whole lines. */
const WRITTEN: Readonly<Record<string, readonly string[]>> = {
  init: ['exomonad init', 'exomonad init --prepare-agents --forge local'],
  down: ['exomonad down'],
  deinit: ['exomonad deinit'],
  'daemon run': ['exomonad daemon run'],
  'daemon start': ['exomonad daemon start'],
  'daemon stop': ['exomonad daemon stop'],
  'daemon status': ['exomonad daemon status --json'],
  'daemon logs': ['exomonad daemon logs', 'exomonad daemon logs -n 200 --follow'],
  'store status': ['exomonad store status'],
  'store check': ['exomonad store check'],
  'store move': ['exomonad store move postgresql:///trees'],
  'store list': ['exomonad store list'],
  'store restore': ['exomonad store restore'],
  backup: ['exomonad backup ~/tree.tar.gz'],
  restore: ['exomonad restore ~/tree.tar.gz'],
  trust: ['exomonad trust', 'exomonad trust --check'],
  'notify test': ['exomonad notify test', 'exomonad notify test phone'],
  'config check': ['exomonad config check', 'exomonad config check ./config.toml'],
  doctor: ['exomonad doctor', 'exomonad doctor --fix', 'exomonad doctor --report'],
  demo: ['exomonad demo', 'exomonad demo --multiplexer tmux --keep'],
  spawn: [
    'exomonad spawn workers login="Add the login page"',
    'exomonad spawn subtree search="Full-text search, with its own tests"',
    'exomonad spawn --issue 42 43',
  ],
  'spawn subtree': [
    'exomonad spawn subtree search="Full-text search, with its own tests"',
    'exomonad spawn subtree search --prompt - <task.md',
  ],
  'spawn workers': [
    'exomonad spawn workers login="Add the login page" logout="Add the logout"',
    'exomonad spawn workers --file tasks.md --dry-run',
    'exomonad spawn workers --issue 42 --agent codex',
  ],
  log: [
    'exomonad log --since 9h',
    'exomonad log --agent auth --type pr.merged --type question.asked',
    'exomonad log --since 2026-01-31T22:00 --json',
  ],
  run: ["exomonad run 'npm test 2>&1 | tee test.log'", 'exomonad run --wait -- npm test --silent'],
  'pr review': [
    'exomonad pr review auth --approve',
    'exomonad pr review 3 --request-changes -m "See below" --at "src/a.ts:12 this can be null" --at "src/b.ts:3-7 one loop will do"',
    'exomonad pr review 3 --reply "c-12 Done" --resolve c-12',
  ],
  'capture reap': ['exomonad capture reap'],
  wait: ['exomonad wait', 'exomonad wait 10m auth search', 'exomonad wait 0'],
  console: ['exomonad console', 'exomonad console auth'],
  events: [
    'exomonad events --since 9h',
    'exomonad events --agent auth --last 20',
    'exomonad events --follow --type pr.merged --json',
  ],
  ps: ['exomonad ps', 'exomonad ps --prune'],
  call: [
    'exomonad call tree',
    `exomonad call send '{"to": "auth", "message": "Use the table"}'`,
    'exomonad call spawn_workers - <workers.json',
  ],
  slash: [
    'exomonad slash "/slash fork Read the tests"',
    'exomonad slash "/slash send auth Use the table"',
    'exomonad slash "/slash check-mail"',
  ],
  mcp: ['exomonad mcp', 'exomonad mcp --as auth'],
  hook: ['exomonad hook stop', 'exomonad hook prompt <facts.json'],
  completion: [
    'exomonad completion --install',
    'exomonad completion zsh --uninstall',
    'source <(exomonad completion bash)',
  ],
}

/** More would push what is above them off the screen. */
const MOST = 3

const pathOf = (command: Command): string =>
  command.parent === null || command.parent === undefined
    ? ''
    : `${pathOf(command.parent)} ${command.name()}`.trim()

/** Of a command; of one that has only others below it, the first of each. */
export function examplesOf(command: Command): readonly string[] {
  const path = pathOf(command)
  const own = SPECS[path]?.examples ?? WRITTEN[path]
  return own ?? command.commands.flatMap((below) => examplesOf(below).slice(0, 1)).slice(0, MOST)
}

/** Ends the help of a command, and of all below it, with examples. */
export function showExamples(command: Command): void {
  const examples = examplesOf(command)
  if (examples.length > 0)
    command.addHelpText(
      'after',
      [
        '',
        examples.length === 1 ? 'Example:' : 'Examples:',
        ...examples.map((one) => `  ${one}`),
      ].join('\n'),
    )
  for (const below of command.commands) showExamples(below)
}
