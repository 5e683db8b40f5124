import type { Db } from '@flotilla/db';
import type { StoredDescriptors } from '@flotilla/envoy-api';
import { findDescriptors, findDigest, listPrepared, type PreparedVersion } from './descriptor-store.ts';

/** The versions whose descriptors are in the database, for all controllers. */
export interface PreparedVersions {
  list(): Promise<readonly PreparedVersion[]>;
  findDigest(version: string): Promise<string | undefined>;
  find(version: string): Promise<StoredDescriptors | undefined>;
}

export function openPreparedVersions(db: Db): PreparedVersions {
  return {
    list: () => listPrepared(db),
    findDigest: (version) => findDigest(db, version),
    find: (version) => findDescriptors(db, version),
  };
}
