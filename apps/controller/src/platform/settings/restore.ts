import { isDeepStrictEqual } from 'node:util';
import { type SettingsType, secretPathsOf } from '@flotilla/contract';
import type { Tx } from '@flotilla/db';
import type { JsonObject } from '@flotilla/envoy-api';
import type { RequestContext } from '../http/context.ts';
import type { Keyring } from '../keyring/index.ts';
import { type CheckedSetting, checkWhole, findType, withSecrets } from './check.ts';
import { openSecrets } from './secrets.ts';
import { findSetting, type SettingPlace } from './store.ts';
import { toView } from './views.ts';
import { labelOf, writeSetting } from './write.ts';

/** A settings document of a project in a backup. */
interface KeptSetting {
  readonly key: string;
  /** Empty for kinds with a single document. */
  readonly name: string;
  readonly value: JsonObject;
  /** By path. */
  readonly secrets: ReadonlyMap<string, string>;
}

/** A document ready to be written: complete, with its secrets, and without those that the backup does not contain. */
export interface CheckedKept {
  readonly type: SettingsType;
  readonly name: string;
  readonly label: string;
  readonly checked: CheckedSetting;
  /** Documents of this kind can contain secrets. */
  readonly canBeSecret: boolean;
}

/**
 * Throws request.invalid and record.not_found, as for a request; undefined: documents of this kind do not belong to
 * projects.
 */
export function checkKept({ key, name, value, secrets }: KeptSetting): CheckedKept | undefined {
  const type = findType(key, name === '' ? undefined : name);
  if (type.scope !== 'project' && !type.perProject) return undefined;
  const given = checkWhole(type, withSecrets(value, secrets));
  const paths = secretPathsOf(type.schema);
  const all = new Map(paths.map((path) => [path, given.secrets.get(path) ?? null]));
  return {
    type,
    name,
    label: labelOf({ type, project: null, name }),
    checked: { value: given.value, secrets: all },
    canBeSecret: paths.length > 0,
  };
}

interface KeptOrder {
  readonly project: string;
  readonly keyring: Keyring;
  readonly kept: CheckedKept;
}

/** Compares with the project's current document; undefined if none was written. */
export async function compareKept(
  tx: Tx,
  { project, keyring, kept }: KeptOrder,
): Promise<{ readonly revision: number; readonly isSame: boolean } | undefined> {
  const place = placeOf(project, kept);
  const row = await findSetting(tx, place);
  if (!row || row.revision === 0) return undefined;
  const { value, secrets } = kept.checked;
  const wanted = [...secrets].filter(([, secret]) => secret !== null).toSorted();
  const isSame =
    isDeepStrictEqual(toView(place, row).value, value) &&
    isDeepStrictEqual([...openSecrets(keyring, place, row)].toSorted(), wanted);
  return { revision: row.revision, isSame };
}

/** Writes the document as its own request would. Returns its id here. */
export async function writeKept(ctx: RequestContext, tx: Tx, { project, keyring, kept }: KeptOrder): Promise<string> {
  const place = placeOf(project, kept);
  await writeSetting(ctx, tx, { place, keyring, isRestored: true, change: () => kept.checked });
  const row = await findSetting(tx, place);
  if (!row) throw new Error('what was written is there');
  return row.id;
}

function placeOf(project: string, { type, name }: Pick<CheckedKept, 'type' | 'name'>): SettingPlace {
  return { type, project, name };
}
