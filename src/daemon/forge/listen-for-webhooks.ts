import { readSecretFile, secretFilePath } from '../../adapters/forge/secret-file.ts'
import type { Forge } from '../../adapters/forge/forge.ts'
import type { Config } from '../../config/schema.ts'
import { ExomonadError } from '../../domain/errors.ts'
import type { Poller } from '../../pull-watch/poller.ts'
import type { Log } from '../../runtime/log.ts'
import { openWebhook, type Webhook } from './open-webhook.ts'

/**
 * GitHub’s webhooks, where the configuration wants them; null where it doesn’t, or where their
 * secret can’t be read now: they only make exomonad look sooner. CONFIG_INVALID where no secret is
 * named.
 */
export async function listenForWebhooks(options: {
  readonly config: Config
  readonly forge: Forge
  readonly poller: Pick<Poller, 'hint' | 'hintAt'>
  /** Worktree that holds `.exomonad/`, and the home of the person. */
  readonly home: string
  readonly userHome: string
  readonly log: Log
}): Promise<Webhook | null> {
  const { config, forge, poller, log } = options
  const { webhook_port: port, webhook_host: host, webhook_secret_file: file } = config.forge.github
  if (forge.kind !== 'github' || port === undefined) return null
  const secret = file === undefined ? '' : await read(secretFilePath(file, options), log)
  return secret === null
    ? null
    : openWebhook({ port, host, secret, identity: () => forge.identity(), poller, log })
}

async function read(path: string, log: Log): Promise<string | null> {
  try {
    return await readSecretFile(path, 'forge.github.webhook_secret_file')
  } catch (thrown) {
    if (!(thrown instanceof ExomonadError)) throw thrown
    log.error({ err: thrown }, 'webhooks are not taken; pull requests are polled all the same')
    return null
  }
}
