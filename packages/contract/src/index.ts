export * from './client.ts';
export * from './errors/index.ts';
export * from './features/sessions.ts';
export * from './roles.ts';
export * from './route.ts';
export * from './schemas.ts';
