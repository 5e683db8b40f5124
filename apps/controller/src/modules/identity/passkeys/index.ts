export { createMoveGuard } from './move-guard.ts';
export { createPasskeyRoutes } from './routes.ts';
export { Passkeys, type ShownPasskey } from './service.ts';
