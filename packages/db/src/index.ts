export * from './database.ts';
export { EmbeddedServer, type EmbeddedServerOptions } from './embedded/server.ts';
export * from './migrate.ts';
export * from './outbox.ts';
export * from './schema/documents.ts';
export * from './schema/fleet.ts';
export * from './schema/foundation.ts';
export type { Tables } from './schema/tables.ts';
export * from './violations.ts';
