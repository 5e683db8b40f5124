import { versionRoutes } from '@flotilla/contract';
import { implement, type Route } from '../../../platform/http/route.ts';
import { fetchCatalog } from './archive.ts';
import type { EnvoyApis } from './envoy-apis.ts';
import { countByVersion } from './views.ts';

export function createVersionRoutes(options: {
  archiveUrl: string | undefined;
  envoyApis: Pick<EnvoyApis, 'known'>;
}): Route[] {
  return [
    implement(versionRoutes.availableVersions, async () => {
      const catalog = await fetchCatalog(options.archiveUrl);
      return { body: catalog.bytes, contentType: catalog.contentType };
    }),
    implement(versionRoutes.list, async (ctx) => ({
      body: { items: await countByVersion(ctx.db, ctx.project.id, await options.envoyApis.known()) },
    })),
  ];
}
