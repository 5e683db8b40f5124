export * from './addresses.ts';
export * from './check-document.ts';
export * from './document.ts';
export * from './edit.ts';
export * from './operations.ts';
export * from './render.ts';
