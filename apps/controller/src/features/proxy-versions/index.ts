export { createEnvoyApis, type EnvoyApis, type EnvoyApisOptions } from './envoy-apis.ts';
export { createVersionRoutes } from './routes.ts';
