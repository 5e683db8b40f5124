export { type Agent, type AgentOptions, createAgent } from './agent.ts';
export { type AgentConfig, parseConfig } from './config.ts';
export { type ProgramIo, runAgent } from './main.ts';
