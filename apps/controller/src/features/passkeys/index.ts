export { createPasskeyRoutes } from './routes.ts';
export { Passkeys, type ShownPasskey } from './service.ts';
