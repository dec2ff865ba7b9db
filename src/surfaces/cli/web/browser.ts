import process from 'node:process'

/**
 * The command that shows a link to the person; undefined where there is no screen to show it on: over
 * SSH, `xdg-open` would start a browser in the terminal.
 */
export function browserOf(
  variables: Readonly<Record<string, string | undefined>>,
  platform: NodeJS.Platform = process.platform,
): readonly string[] | undefined {
  const { BROWSER: own } = variables
  if (own !== undefined && own !== '') return [own]
  if (platform === 'darwin') return ['open']
  if (variables['WSL_DISTRO_NAME'] !== undefined) return ['wslview']
  return variables['DISPLAY'] !== undefined || variables['WAYLAND_DISPLAY'] !== undefined
    ? ['xdg-open']
    : undefined
}
