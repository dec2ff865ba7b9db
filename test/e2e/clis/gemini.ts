import { gemini as protocol } from '../../fixtures/model-server/gemini.ts'
import type { RealCli } from '../real-cli.ts'

/** Gemini CLI from npm. `GEMINI_API_KEY` is its login; nothing stands in the person’s home. */
export const gemini: RealCli = {
  name: 'gemini',
  protocols: [protocol],
  // With a model named it asks no router which one to take.
  config: () => 'model = "gemini-2.5-flash"',
  env: (model) => ({ GEMINI_API_KEY: 'dummy', GOOGLE_GEMINI_BASE_URL: model.url }),
  dialog: /Allow execution of|Apply this change\?|Allow once/,
  ready: /Type your message or @path/,
}
