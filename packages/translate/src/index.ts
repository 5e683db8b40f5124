export * from './documents/collections.ts';
export * from './documents/host-access.ts';
export { collectionTakenBy } from './documents/name-table.ts';
export * from './documents/normal-form.ts';
export * from './documents/references.ts';
export * from './documents/slots.ts';
export { CLIENT_ADDRESS } from './listener.ts';
export { Translator } from './translator.ts';
export type * from './types.ts';
