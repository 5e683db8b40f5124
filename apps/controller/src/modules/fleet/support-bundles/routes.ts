import { applianceRoutes } from '@flotilla/contract';
import { implement, type Route } from '../../../platform/http/route.ts';
import { readClient } from '../clients/index.ts';
import type { BundleDownloads } from './bundle-downloads.ts';
import { readRange } from './read-range.ts';

export function createBundleRoutes(downloads: BundleDownloads): Route[] {
  return [
    implement(applianceRoutes.downloadBundle, async (ctx, { params }) => {
      const { client_id: clientId, artifact_id: bundleId } = params;
      const { name } = await readClient(ctx.db, { projectId: ctx.project.id, clientId });
      const asked = readRange(ctx.range);
      const { body, offset, bytes, sha256 } = await downloads.open(ctx.actor, {
        project: ctx.project.id,
        client: { id: clientId, name },
        bundleId,
        offset: asked.offset,
        sha256: asked.ifSha256,
        noteRefusal: (target) => ctx.refusedIn(target),
      });
      try {
        const changes = { bundle: bundleId, from_byte: offset, bytes };
        await ctx.write(async () => ({ reply: {}, audit: { type: 'client', id: clientId, name, changes } }));
      } catch (error) {
        body.destroy();
        throw error;
      }
      return {
        status: offset > 0 ? 206 : 200,
        body,
        etag: sha256,
        contentType: 'application/octet-stream',
        headers: {
          'accept-ranges': 'bytes',
          'content-disposition': `attachment; filename="${fileName(name, bundleId)}"`,
          'content-length': String(bytes - offset),
          'repr-digest': `sha-256=:${Buffer.from(sha256, 'hex').toString('base64')}:`,
          ...(offset > 0 && { 'content-range': `bytes ${offset}-${bytes - 1}/${bytes}` }),
        },
      };
    }),
  ];
}

/** Anybody may name a client, so only harmless letters remain. */
function fileName(client: string, bundleId: string): string {
  const plain = client.replaceAll(/[^A-Za-z0-9.-]+/g, '-').replace(/^[.-]+/, '');
  return `support-bundle-${plain.slice(0, 64) || 'client'}-${bundleId.slice(0, 12)}.tar.gz`;
}
