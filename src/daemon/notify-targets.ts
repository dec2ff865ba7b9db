import { createCommandTarget } from '../adapters/notify/command.ts'
import { createDesktopTarget } from '../adapters/notify/desktop.ts'
import type { NotifyTarget } from '../adapters/notify/target.ts'
import { createTerminalTarget } from '../adapters/notify/terminal.ts'
import { readWebhookUrl } from '../adapters/notify/webhook-url.ts'
import { createWebhookTarget } from '../adapters/notify/webhook.ts'
import { readSecretFile, secretFilePath } from '../adapters/forge/secret-file.ts'
import { desktopEnvironment, type Environment } from '../config/environment.ts'
import { isSafeUrl } from '../config/is-safe-url.ts'
import type { Config } from '../config/schema.ts'
import type { ConfiguredTarget } from '../delivery/notify/target-queue.ts'
import { parseQuietHours } from '../domain/quiet-hours.ts'
import type { Exec } from '../processes/exec.ts'
import type { KnownTokens } from './known-tokens.ts'

interface TargetDeps {
  readonly environment: Environment
  /** Of commands that the configuration names. */
  readonly env: Readonly<Record<string, string>>
  readonly exec: Exec
  readonly tokens: KnownTokens
  /** Of the repository’s main worktree. */
  readonly home: string
  readonly platform: NodeJS.Platform
}

/** No target is told more often than this. Milliseconds. */
const EVERY = 60_000

/** What [notify] names, `notify.command` first. */
export function notifyTargets({ notify }: Config, deps: TargetDeps): ConfiguredTarget[] {
  const { command, targets } = notify
  const hours = (text: string | undefined) => parseQuietHours(text ?? '') ?? null
  const named = Object.entries(targets).map(([name, target]): ConfiguredTarget => ({
    name,
    kind: target.kind,
    policy: {
      after: target.after * 1000,
      quiet: hours(target.quiet ?? notify.quiet),
      every: EVERY,
      each: false,
    },
    text: target.text ?? target.kind !== 'webhook',
    isPlain: false,
    target: create(`notify.targets.${name}`, target, deps),
  }))
  if (command === undefined) return named
  const plain: ConfiguredTarget = {
    name: 'notify.command',
    kind: 'command',
    policy: { after: 0, quiet: hours(notify.quiet), every: 0, each: true },
    text: true,
    isPlain: true,
    target: createCommandTarget({ command, exec: deps.exec, env: deps.env }),
  }
  return [plain, ...named]
}

function create(
  where: string,
  target: Config['notify']['targets'][string],
  { environment, env, exec, tokens, home, platform }: TargetDeps,
): NotifyTarget {
  switch (target.kind) {
    case 'desktop':
      return createDesktopTarget({ exec, env: desktopEnvironment(environment), platform })
    case 'terminal':
      return createTerminalTarget()
    case 'command':
      return createCommandTarget({ exec, env, command: target.command ?? [] })
    case 'webhook':
      return createWebhookTarget({
        preset: target.preset ?? 'json',
        readUrl: async () => {
          const url = await readWebhookUrl({
            where: `${where}.${target.url_file === undefined ? 'url_env' : 'url_file'}`,
            file: target.url_file,
            variable: target.url_env,
            variables: environment.variables,
            isSafe: isSafeUrl,
            readFile: (file) =>
              readSecretFile(
                secretFilePath(file, { userHome: environment.home, home }),
                `${where}.url_file`,
              ),
          })
          // Wherever it may come up from here on, in a log or a message, it is redacted.
          await tokens.reading(async () => url.href)()
          return url
        },
      })
  }
}
