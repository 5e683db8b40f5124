export { createEnvoyDist, defaultEnvoyCacheDir, type EnvoyDist, type EnvoyDistOptions } from './dist.ts';
export { KNOWN_VERSIONS } from './known.ts';
export { createModuleStore } from './modules.ts';
export { probeEnvoy, sha256OfFile } from './probe.ts';
export { isPublishedFor } from './release.ts';
export type { InstallStep, ReleaseInstallOptions, ReleaseProblem, ReleaseStore } from './release-store.ts';
export type {
  CatalogEntry,
  EnvoyBinary,
  EnvoyInstallProblem,
  InstallAttempt,
  InstallProgress,
} from './types.ts';
export { compareVersions, newestOfLine, parseVersionRequest, type VersionRequest } from './version.ts';
export type { StoredVersion } from './version-store.ts';
