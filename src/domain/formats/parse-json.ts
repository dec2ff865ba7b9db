export { MAX_DEPTH, parseJson, requireShallow } from '../../../packages/subagents/src/parse-json.ts'
