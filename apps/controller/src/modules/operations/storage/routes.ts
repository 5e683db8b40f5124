import { statfs } from 'node:fs/promises';
import { type StorageStats, storageRoutes } from '@flotilla/contract';
import { implement, type Route } from '../../../platform/http/route.ts';
import { foretell } from './growth.ts';
import { listSamples, listTableSizes, readDatabaseSize } from './store.ts';

/** `dataDir`: folder of the embedded database; undefined for an external one. */
export function createStorageRoutes({ dataDir }: { dataDir: string | undefined }): Route[] {
  return [
    implement(storageRoutes.stats, async ({ db, now }) => {
      const [sizes, total, samples] = [await listTableSizes(db), await readDatabaseSize(db), await listSamples(db)];
      const disk = dataDir === undefined ? null : await readDisk(dataDir);
      const body: StorageStats = {
        generated_at: now.toISOString(),
        database: {
          total_bytes: total,
          data_bytes: sizes.reduce((sum, table) => sum + table.data_bytes, 0),
          index_bytes: sizes.reduce((sum, table) => sum + table.index_bytes, 0),
          tables: sizes.map(({ name, data_bytes, index_bytes, rows }) => ({
            name,
            bytes: data_bytes + index_bytes,
            rows,
          })),
        },
        disk,
        growth: foretell(samples, disk),
      };
      return { body };
    }),
  ];
}

async function readDisk(dir: string): Promise<NonNullable<StorageStats['disk']>> {
  const { bavail, blocks, bsize } = await statfs(dir);
  return { free_bytes: bavail * bsize, total_bytes: blocks * bsize };
}
