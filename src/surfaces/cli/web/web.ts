import { toolCommand } from '../tool-command.ts'
import { browserOf } from './browser.ts'

/** The link, and a browser with it: where a person is who may use it. */
export const web = toolCommand('web', {
  flags: { open: '--no-open  Only print the link' },
  call: async ({ client, input, context: { elsewhere } }) => {
    const found = await client.call('web', input)
    if (elsewhere === null) return found
    const url = new URL(found.url)
    url.port = String(await elsewhere.forwardPort(Number(url.port)))
    return { ...found, url: url.href }
  },
  show: async ({ url }, { context, palette, flags, input }) => {
    const browser = flags.open ? browserOf(context.environment.variables) : undefined
    const opened =
      browser !== undefined &&
      (await context.host
        .run(browser[0] ?? '', [...browser.slice(1), url], {
          cwd: context.options().cwd,
          env: context.environment.variables,
          timeout: 5000,
        })
        .then(
          ({ exitCode, timedOut }) => exitCode === 0 || timedOut,
          () => false,
        ))
    return [
      `${palette.good('✓')} The page is served${input.read_only ? ', for reading only' : ''}${opened ? ', and opens in your browser' : ''}`,
      `  ${palette.link(url)}`,
      `  ${palette.dim('The link lets one browser in, once, within a minute.')}`,
    ]
  },
})
