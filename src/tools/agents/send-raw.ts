import { send } from '../mail/send.ts'
import { defineTool } from '../define.ts'

export const sendRaw = defineTool({
  ...send,
  name: 'send_raw',
  description:
    'A person’s words as they are: what the agent’s program gives a meaning to, such as @file, keeps it. `exomonad send --raw`.',
  audience: ['human'],
  listed: false,
  // Its command is an option of that of `send`.
  command: undefined,
  handler: ({ core, caller, once }, input) =>
    core.messages.send(caller, input.to, input.message, { raw: true, once }),
})
