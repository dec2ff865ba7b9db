import { chosenAcp, chosenAgents } from '../../../config/presets.ts'
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
  const chosen = chosenAgents(config)
  const acp = chosenAcp(config).flatMap((name) =>
    config.acp[name] === undefined ? [] : [[name, config.acp[name]] as const],
  )
  const roleGrants = Object.entries(config.roles).flatMap(
    ([
      role,
      {
        permissions: { policy, allow },
      },
    ]) =>
      policy === 'off'
        ? []
        : [
            [
              `roles.${role}.permissions`,
              policy === 'list' ? `list: ${allow.join(', ')}` : policy,
            ] as const,
          ],
  )
  const grants = [
    ...roleGrants,
    ...acp.flatMap(([name, { permission, allow, mode }]) => [
      ...(permission === 'allow' ? [[`acp.${name}.permission`, permission] as const] : []),
      // In some modes a program asks nobody.
      ...(mode === undefined ? [] : [[`acp.${name}.mode`, mode] as const]),
      ...(allow.length === 0 ? [] : [[`acp.${name}.allow`, allow.join(', ')] as const]),
    ]),
  ]
  const {
    host,
    api_url: apiUrl,
    graphql_url: graphqlUrl,
    token_file: tokenFile,
    app_id: app,
    app_key_file: appKey,
  } = config.forge.github
  const goesTo = (what: string | undefined): string | undefined =>
    what && `the token is sent to ${what}`
  const credentials = {
    host: goesTo(host),
    api_url: goesTo(apiUrl),
    graphql_url: goesTo(graphqlUrl),
    token_file: tokenFile && `${tokenFile} holds the token`,
    app_key_file: appKey && `${appKey} holds the key of app ${app}`,
  }
  const { gitea } = config.forge
  const addresses = {
    github: credentials,
    gitea: {
      url: goesTo(gitea.url),
      token_file: gitea.token_file && `${gitea.token_file} holds the token`,
    },
  }
  const { kind } = config.forge
  const tokens = Object.entries(kind === 'local' ? {} : addresses[kind]).flatMap(([key, words]) =>
    words === undefined ? [] : [[`forge.${kind}.${key}`, words] as const],
  )
  const commands: [string, readonly string[] | undefined][] = [
    ...Object.entries(config.agents).flatMap(
      ([name, agent]): [string, readonly string[] | undefined][] =>
        chosen.includes(name)
          ? [
              [
                `agents.${name}`,
                [
                  ...Object.entries(agent.env).map(([key, value]) => `${key}=${value}`),
                  ...agent.command,
                  ...agent.args,
                ],
              ],
              [`agents.${name} (resume)`, agent.resume_command],
            ]
          : [],
    ),
    ...acp.map(([name, { env, command }]): [string, readonly string[]] => [
      `acp.${name}`,
      [...Object.entries(env).map(([key, value]) => `${key}=${value}`), ...command],
    ]),
    ...config.worktree.setup.map((argv): [string, readonly string[]] => ['worktree.setup', argv]),
    ['forge.local.ci', config.forge.local.ci],
    ['notify.command', config.notify.command],
  ]
  return [
    ...[...grants, ...tokens].map(
      ([key, what]) =>
        `  ${palette.dim(printableLine(key))}  ${palette.attention(printableLine(what))}`,
    ),
    ...commands.flatMap(([key, argv]) =>
      argv === undefined
        ? []
        : [`  ${palette.dim(printableLine(key))}  ${quoteForShell(argv.map(printableLine))}`],
    ),
  ]
}
