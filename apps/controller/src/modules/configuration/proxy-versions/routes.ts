import { versionRoutes } from '@flotilla/contract';
import { implement, type Route } from '../../../platform/http/route.ts';
import type { ReleaseArchive } from './archive.ts';
import type { EnvoyApis } from './envoy-apis.ts';
import { countByVersion } from './views.ts';

export function createVersionRoutes({
  archive,
  envoyApis,
}: {
  archive: Pick<ReleaseArchive, 'read'>;
  envoyApis: Pick<EnvoyApis, 'known'>;
}): Route[] {
  return [
    implement(versionRoutes.availableVersions, async () => {
      const { bytes, contentType, fetchedAt, stale } = await archive.read();
      const headers = {
        'x-archive-fetched-at': fetchedAt.toISOString(),
        ...(stale !== undefined && { 'x-archive-stale': stale.replaceAll(/[^ -~]/g, '?') }),
      };
      return { body: bytes, contentType, headers };
    }),
    implement(versionRoutes.releases, async () => {
      const { archiveUrl, fetchedAt, stale, index } = await archive.read();
      return {
        body: { archive_url: archiveUrl, fetched_at: fetchedAt.toISOString(), stale: stale ?? null, ...index },
      };
    }),
    implement(versionRoutes.list, async (ctx) => ({
      body: { items: await countByVersion(ctx.db, ctx.project.id, await envoyApis.known()) },
    })),
  ];
}
