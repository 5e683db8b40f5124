export { ReleaseArchive } from './archive.ts';
export { createEnvoyApis, type EnvoyApis } from './envoy-apis.ts';
export { Extractor } from './extractor.ts';
export { createPrepareRoute, type PreparationDeps, withPreparation } from './preparations.ts';
export { createPrepareJob } from './prepare-job.ts';
export { openPreparedVersions } from './prepared-versions.ts';
export { createVersionRoutes } from './routes.ts';
