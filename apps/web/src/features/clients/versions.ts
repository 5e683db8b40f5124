import { asRecord } from './fresh-stats.ts';

export interface InstalledVersion {
  readonly version: string;
  /** Where the agent has it from, in its words. */
  readonly source: string;
  readonly path: string;
}

/** What a client answered to GET_VERSIONS; what has another form is left out. */
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
