import type { SemanticFault } from '../check.ts'
import { isSafeUrl } from '../is-safe-url.ts'
import type { Config } from '../schema.ts'

/**
 * What [forge.github] says that can’t be meant: a token or a webhook in plain sight, addresses that
 * fit no host.
 */
export function* checkGithub(config: Config): Generator<SemanticFault> {
  const {
    api_url: apiUrl,
    graphql_url: graphqlUrl,
    host,
    webhook_port: port,
    webhook_secret_file: secret,
  } = config.forge.github
  const { app_id: app, app_key_file: key, app_installation_id: installation } = config.forge.github
  const at = (key: string, problem: string): SemanticFault => ({
    path: ['forge', 'github', key],
    problem,
  })
  for (const [key, url] of [
    ['api_url', apiUrl],
    ['graphql_url', graphqlUrl],
  ] as const) {
    if (url !== undefined && !isSafeUrl(url)) {
      yield at(
        key,
        `found ${JSON.stringify(url)}, over which the token could be read on its way; it begins with https:// (http:// only for this machine)`,
      )
    }
  }
  if (host !== undefined && !/^[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?(?::\d+)?$/.test(host)) {
    yield at(
      'host',
      `found ${JSON.stringify(host)}, which is no host; it is a name alone, such as "git.example.com"`,
    )
  }
  if (app !== undefined && key === undefined)
    yield at('app_id', 'needs app_key_file beside it: the app signs in with its private key')
  for (const [name, value] of [
    ['app_key_file', key],
    ['app_installation_id', installation],
  ] as const) {
    if (value !== undefined && app === undefined) yield at(name, 'needs app_id beside it')
  }
  if (port !== undefined && secret === undefined) {
    yield at(
      'webhook_port',
      'needs webhook_secret_file beside it: without a secret anybody could say what happened',
    )
  }
}
