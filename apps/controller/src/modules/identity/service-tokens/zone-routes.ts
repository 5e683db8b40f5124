import { Buffer } from 'node:buffer';
import { zoneSecretRoutes } from '@flotilla/contract';
import { createSecret } from '@flotilla/kit';
import { implement, type Route } from '../../../platform/http/route.ts';
import type { Keyring } from '../../../platform/keyring/index.ts';
import { issueSecret, type NewSecret, rotateSecret, tokenSecretContext } from '../../../platform/tokens/index.ts';
import { requireSession } from '../users/index.ts';
import { deleteServiceToken } from './store.ts';
import { findZone, insertZone, listZones, lockZone, type Zone } from './zone-store.ts';

/** Lets secret scanners find leaked secrets, and people distinguish them from others. */
const PREFIX = 'fltz_';
/** Characters that lists show: the prefix and six of 43 random ones. */
const SHOWN_LENGTH = PREFIX.length + 6;

export function createZoneSecretRoutes(keyring: Pick<Keyring, 'encrypt'>): Route[] {
  const createFresh = (tokenId: string, of: Pick<NewSecret, 'projectId' | 'issuedTo' | 'now'>): NewSecret => {
    const secret = PREFIX + createSecret(32);
    return {
      ...of,
      kind: 'zone',
      tokenId,
      secret,
      prefix: secret.slice(0, SHOWN_LENGTH),
      encrypt: (id: string) => keyring.encrypt(Buffer.from(secret), tokenSecretContext(id)),
    };
  };
  return [
    implement(zoneSecretRoutes.list, async (ctx) => ({
      body: { items: await listZones(ctx.db, ctx.project.id, ctx.now), next_cursor: null },
    })),
    implement(zoneSecretRoutes.get, async (ctx, { params: { zone } }) => ({
      body: (await findZone(ctx.db, ctx.project.id, zone, ctx.now)).view,
    })),
    implement(zoneSecretRoutes.create, (ctx, { body: { zone } }) => {
      const actor = requireSession(ctx.actor);
      const { project, now } = ctx;
      return ctx.write(async (tx) => {
        const id = await insertZone(tx, { projectId: project.id, name: zone, by: actor.name, now });
        const fresh = createFresh(id, { projectId: project.id, issuedTo: actor.id, now });
        await issueSecret(tx, fresh);
        return {
          reply: {
            body: show(await findZone(tx, project.id, zone, now), ctx.dryRun ? undefined : fresh.secret),
            location: `${zoneSecretRoutes.list.path}/${zone}`,
          },
          audit: { type: 'zone_secret', id, name: zone, changes: { prefix: fresh.prefix } },
        };
      });
    }),
    implement(zoneSecretRoutes.rotate, (ctx, { params: { zone }, body: { overlap_s } }) => {
      const actor = requireSession(ctx.actor);
      const { project, now } = ctx;
      return ctx.write(async (tx) => {
        const id = await lockZone(tx, project.id, zone);
        const fresh = createFresh(id, { projectId: project.id, issuedTo: actor.id, now });
        await rotateSecret(tx, fresh, overlap_s);
        return {
          reply: { body: show(await findZone(tx, project.id, zone, now), ctx.dryRun ? undefined : fresh.secret) },
          audit: { type: 'zone_secret', id, name: zone, changes: { overlap_s, prefix: fresh.prefix } },
        };
      });
    }),
    implement(zoneSecretRoutes.delete, (ctx, { params: { zone } }) => {
      requireSession(ctx.actor);
      return ctx.write(async (tx) => {
        const id = await lockZone(tx, ctx.project.id, zone);
        await deleteServiceToken(tx, id);
        return { reply: {}, audit: { type: 'zone_secret', id, name: zone } };
      });
    }),
  ];
}

function show({ view }: Zone, secret: string | undefined) {
  return secret === undefined ? view : { ...view, key_id: view.secrets[0]?.key_id, secret };
}
