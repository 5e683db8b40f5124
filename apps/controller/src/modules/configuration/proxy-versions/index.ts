export { ReleaseArchive } from './archive.ts';
export { createEnvoyApis, type EnvoyApis } from './envoy-apis.ts';
export { createVersionRoutes } from './routes.ts';
