import { CLOUD_SETTINGS, cloudRoutes, fail, type SettingsType } from '@flotilla/contract';
import type { RequestContext } from '../../../platform/http/context.ts';
import { tagOf } from '../../../platform/http/etag.ts';
import { implement, type Route } from '../../../platform/http/route.ts';
import type { Keyring } from '../../../platform/keyring/index.ts';
import { checkWhole } from '../../../platform/settings/check.ts';
import { findSetting, listNamed, type SettingPlace } from '../../../platform/settings/store.ts';
import { toView } from '../../../platform/settings/views.ts';
import { removeSetting, writeSetting } from '../../../platform/settings/write.ts';

const type: SettingsType = CLOUD_SETTINGS;
const placeOf = (ctx: RequestContext, name: string): SettingPlace => ({ type, project: ctx.project.id, name });

/** Clouds at the addresses of the specification; the same documents as `/setting/documents/cloud/:name`. */
export function createCloudRoutes(keyring: Keyring): Route[] {
  return [
    implement(cloudRoutes.list, async (ctx) => {
      const rows = await listNamed(ctx.db, { type, project: ctx.project.id });
      return { body: { items: rows.map((row) => toView(placeOf(ctx, row.name), row)), next_cursor: null } };
    }),
    implement(cloudRoutes.get, async (ctx, { params }) => {
      const place = placeOf(ctx, params.cloud_name);
      const row = await findSetting(ctx.db, place);
      if (!row) throw fail('record.not_found', { kind: type.key, name: place.name });
      return { body: toView(place, row), etag: tagOf(row) };
    }),
    implement(cloudRoutes.create, (ctx, { params, body }) => {
      const place = placeOf(ctx, params.cloud_name);
      const change = () => checkWhole(type, body);
      return ctx.write(async (tx) => {
        const outcome = await writeSetting(ctx, tx, { place, keyring, change, expects: 'absent' });
        const location = `${cloudRoutes.list.path}/${place.name}`;
        return { ...outcome, reply: { ...outcome.reply, location } };
      });
    }),
    implement(cloudRoutes.replace, (ctx, { params, body }) => {
      const place = placeOf(ctx, params.cloud_name);
      const change = () => checkWhole(type, body);
      return ctx.write((tx) => writeSetting(ctx, tx, { place, keyring, change, expects: 'present' }));
    }),
    implement(cloudRoutes.delete, (ctx, { params }) => {
      const place = placeOf(ctx, params.cloud_name);
      return ctx.write((tx) => removeSetting(ctx, tx, { place, keyring }));
    }),
  ];
}
