import { chosenAcp, chosenAgents } from '../../../config/presets.ts'
import type { AcpConfig, Config } from '../../../config/schema.ts'
import type { Paths } from '../../../runtime/paths.ts'
import type { CliContext } from '../context.ts'
import { printableLine } from '../../text/printable.ts'
import { quoteForShell } from '../../text/shell-quote.ts'

/**
 * The commands that a configuration would run, what its agents would be allowed and where a token
 * would go, for a person to look at. Empty where it doesn’t parse: then it runs nothing.
 */
export async function describeWhatRuns(context: CliContext, paths: Paths): Promise<string[]> {
  const config = await context.host.loadConfig(paths.configFile).catch(() => null)
  if (config === null) return []
  const palette = context.palette()
  return [
    ...[grantsOf, reachOf, tokensOf, storeOf, postsOf]
      .flatMap((look) => look(config))
      .map(
        ([key, what]) =>
          `  ${palette.dim(printableLine(key))}  ${palette.attention(printableLine(what))}`,
      ),
    ...commandsOf(config).map(
      ([key, argv]) =>
        `  ${palette.dim(printableLine(key))}  ${quoteForShell(argv.map(printableLine))}`,
    ),
  ]
}

/** A key of the configuration, and what it means. */
type Named<What = string> = readonly [key: string, what: What]

const acpOf = (config: Config): Named<AcpConfig>[] =>
  chosenAcp(config).flatMap((name) => {
    const acp = config.acp[name]
    return acp === undefined ? [] : [[name, acp]]
  })

/** What agents may do without being asked. */
const grantsOf = (config: Config): Named[] => [
  ...Object.entries(config.roles).flatMap(([role, { permissions }]): Named[] => {
    const { policy, allow } = permissions
    if (policy === 'off') return []
    return [[`roles.${role}.permissions`, policy === 'list' ? `list: ${allow.join(', ')}` : policy]]
  }),
  ...acpOf(config).flatMap(([name, { permission, allow, mode }]): Named[] => [
    ...(permission === 'allow' ? [[`acp.${name}.permission`, permission] as const] : []),
    // In some modes a program asks nobody.
    ...(mode === undefined ? [] : [[`acp.${name}.mode`, mode] as const]),
    ...(allow.length === 0 ? [] : [[`acp.${name}.allow`, allow.join(', ')] as const]),
  ]),
]

/** What of this machine agents come by that they otherwise would not, and who reaches the page. */
const reachOf = ({ environment, sandbox, web }: Config): Named[] =>
  (
    [
      ['environment.pass', environment.pass, 'of your variables, agents see'],
      ['sandbox.read', sandbox.read, 'confined agents read'],
      ['sandbox.write', sandbox.write, 'confined agents write'],
      ['sandbox.allow_hosts', sandbox.allow_hosts, 'agents with sandbox = "offline" reach'],
      ['web.hosts', web.hosts, 'the page is reached by'],
    ] as const
  ).flatMap(([key, values, words]): Named[] =>
    values.length === 0 ? [] : [[key, `${words} ${values.join(', ')}`]],
  )

/** Where a token is read from, and where it goes. */
function tokensOf({ forge: { kind, github, gitea } }: Config): Named[] {
  const goesTo = (what: string | undefined): string | undefined =>
    what && `the token is sent to ${what}`
  const addresses = {
    local: {},
    github: {
      host: goesTo(github.host),
      api_url: goesTo(github.api_url),
      graphql_url: goesTo(github.graphql_url),
      token_file: github.token_file && `${github.token_file} holds the token`,
      app_key_file:
        github.app_key_file && `${github.app_key_file} holds the key of app ${github.app_id}`,
    },
    gitea: {
      url: goesTo(gitea.url),
      token_file: gitea.token_file && `${gitea.token_file} holds the token`,
    },
  }
  return Object.entries<string | undefined>(addresses[kind]).flatMap(([key, words]): Named[] =>
    words === undefined ? [] : [[`forge.${kind}.${key}`, words]],
  )
}

/** Where all records go, where that is another place than this repository. */
const storeOf = ({ store: { kind, url_file: file } }: Config): Named[] =>
  kind === 'postgres'
    ? [
        [
          'store.kind',
          `all records are kept in the database that ${file ?? '$EXOMONAD_STORE_URL'} names`,
        ],
      ]
    : []

/** Where what needs a person is sent to, outside this machine. */
const postsOf = ({ notify }: Config): Named[] =>
  Object.entries(notify.targets).flatMap(([name, { kind, url_file: file, url_env: env, text }]) =>
    kind === 'webhook'
      ? [
          [
            `notify.targets.${name}`,
            `${text === true ? 'the words of what needs you are' : 'what needs you is'} sent to the address in ${file ?? `$${env}`}`,
          ] as const,
        ]
      : [],
  )

function commandsOf(config: Config): Named<readonly string[]>[] {
  const variables = (env: Readonly<Record<string, string>>): string[] =>
    Object.entries(env).map(([key, value]) => `${key}=${value}`)
  const chosen = chosenAgents(config)
  const commands: Named<readonly string[] | undefined>[] = [
    ...Object.entries(config.agents)
      .filter(([name]) => chosen.includes(name))
      .flatMap(([name, agent]): Named<readonly string[] | undefined>[] => [
        [`agents.${name}`, [...variables(agent.env), ...agent.command, ...agent.args]],
        [`agents.${name} (resume)`, agent.resume_command],
      ]),
    ...acpOf(config).map(([name, { env, command }]): Named<readonly string[]> => [
      `acp.${name}`,
      [...variables(env), ...command],
    ]),
    ...config.worktree.setup.map((step): Named<readonly string[]> => [
      'worktree.setup',
      'run' in step ? step.run : step,
    ]),
    ...config.worktree.teardown.map((argv): Named<readonly string[]> => [
      'worktree.teardown',
      argv,
    ]),
    ['forge.local.ci', config.forge.local.ci],
    ['fold.check', config.fold.check],
    ['notify.command', config.notify.command],
    ...Object.entries(config.notify.targets).map(
      ([name, { command }]): Named<readonly string[] | undefined> => [
        `notify.targets.${name}`,
        command,
      ],
    ),
  ]
  return commands.flatMap(([key, argv]): Named<readonly string[]>[] =>
    argv === undefined ? [] : [[key, argv]],
  )
}
