export * from './database.ts';
export * from './envoy.ts';
