export * from './ext-proc/index.ts';
