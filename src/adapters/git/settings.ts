/**
 * Configuration of every command the daemon’s git runs, given per command: the user’s own is never
 * changed. No hooks, no signing (nobody is there to enter a passphrase), no background upkeep, no
 * file names in octal.
 */
export const SETTINGS: readonly string[] = [
  'core.hooksPath=/dev/null',
  'core.quotePath=false',
  'core.fsmonitor=false',
  'commit.gpgSign=false',
  'tag.gpgSign=false',
  'push.gpgSign=false',
  'gc.auto=0',
  'maintenance.auto=false',
  'submodule.recurse=false',
  'log.showSignature=false',
  'i18n.commitEncoding=UTF-8',
  'i18n.logOutputEncoding=UTF-8',
]

/** `-c key=value` for each. */
export const asArguments = (settings: readonly string[]): string[] =>
  settings.flatMap((setting) => ['-c', setting])

/**
 * Variables for the daemon’s git: nothing asks, nothing opens an editor, messages are English so
 * that they can be distinguished.
 */
export function gitVariables(
  environment: Readonly<Record<string, string>>,
): Record<string, string> {
  const { LANGUAGE: _, ...rest } = environment
  return { ...rest, LC_ALL: 'C', GIT_TERMINAL_PROMPT: '0', GIT_MERGE_AUTOEDIT: 'no' }
}

/**
 * For commands that could start an editor or a password dialog. simple-git, which runs none of
 * them, refuses these.
 */
export const NO_DIALOGS: Readonly<Record<string, string>> = {
  GIT_ASKPASS: '',
  GIT_EDITOR: ':',
  GIT_SEQUENCE_EDITOR: ':',
  GCM_INTERACTIVE: 'never',
}
