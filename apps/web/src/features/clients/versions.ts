import { asRecord } from './fresh-stats.ts';

export interface InstalledVersion {
  readonly version: string;
  /** Where the agent downloaded it from, as it reports. */
  readonly source: string;
  readonly path: string;
}

/** Parses the answer to GET_VERSIONS; skips malformed entries. */
export function readVersions(result: unknown): InstalledVersion[] {
  const { installed } = asRecord(result);
  if (!Array.isArray(installed)) return [];
  return installed.flatMap((entry: unknown) => {
    const { version, source, path } = asRecord(entry);
    return typeof version === 'string' && typeof source === 'string' && typeof path === 'string'
      ? [{ version, source, path }]
      : [];
  });
}
