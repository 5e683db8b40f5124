export type { CommandDelivery } from './delivery.ts';
export { createLogRoutes } from './log-routes.ts';
export { LogStreams } from './log-streams.ts';
export { COMMANDS_CREATED, COMMANDS_FINISHED } from './model.ts';
export type { PreparedOrder } from './orders.ts';
export { createCommandRoutes } from './routes.ts';
export { SealedPayloads } from './sealed-payloads.ts';
export { type ClientStreams, CommandService } from './service.ts';
export type { CommandWaiting } from './waiting.ts';
