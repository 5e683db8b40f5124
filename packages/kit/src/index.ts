export * from './abort.ts';
export * from './app-error.ts';
export * from './backoff.ts';
export * from './clock.ts';
export * from './ids.ts';
export * from './lifecycle.ts';
export * from './logger.ts';
export * from './result.ts';
