import { argument, run, type RunDeps } from './run.ts'
import { shortened, type Answer, type NotifyTarget } from './target.ts'

const MOST = 1000

/** What is read as AppleScript holds nothing of ours: title and body are its arguments. */
const SCRIPT = [
  'on run argv',
  'display notification (item 1 of argv) with title (item 2 of argv)',
  'end run',
]

/** The desktop of whoever runs the daemon: freedesktop’s, by notify-send, or that of macOS. */
export function createDesktopTarget(
  deps: RunDeps & { readonly platform: NodeJS.Platform },
): NotifyTarget {
  const mac = deps.platform === 'darwin'
  return {
    async send({ title, body }, signal) {
      const words = argument(shortened(body, MOST))
      return mac
        ? run(
            deps,
            'osascript',
            [...SCRIPT.flatMap((line) => ['-e', line]), words, argument(title)],
            signal,
          )
        : withAdvice(
            await run(
              deps,
              'notify-send',
              ['--app-name=exomonad', '--', argument(title), asMarkup(words)],
              signal,
            ),
          )
    },
  }
}

/** A freedesktop body is markup: words stay words. */
const asMarkup = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

const withAdvice = (answer: Answer): Answer =>
  answer.ok || !answer.reason.includes('ENOENT')
    ? answer
    : {
        ...answer,
        reason: `${answer.reason}. Install it (package libnotify-bin or libnotify), or use another kind of target`,
      }
