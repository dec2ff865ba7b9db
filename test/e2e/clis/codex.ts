import { openaiResponses } from '../../fixtures/model-server/openai-responses.ts'
import type { RealCli } from '../real-cli.ts'

/** Codex from npm, with a model provider of the person’s own, so that nobody has to sign in. */
export const codex: RealCli = {
  name: 'codex',
  protocols: [openaiResponses],
  config: (model) => `model = "gpt-6.1-sol"
args = [
  '-c', 'model_provider="mock"',
  '-c', 'model_providers.mock={ name = "mock", base_url = "${model.url}/v1", env_key = "OPENAI_API_KEY", wire_api = "responses" }',
]`,
  env: () => ({ OPENAI_API_KEY: 'dummy' }),
  dialog: /Would you like to run the following command\?/,
  ready: /Ask Codex to do anything/,
}
