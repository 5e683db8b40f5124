export { forgetOldCommands } from './prune-store.ts';
export { createCommandRoutes } from './routes.ts';
export { type ClientStreams, COMMANDS_CREATED, COMMANDS_FINISHED, CommandService } from './service.ts';
export type { CommandWaiting } from './waiting.ts';
