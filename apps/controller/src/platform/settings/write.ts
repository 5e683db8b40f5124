import { isDeepStrictEqual } from 'node:util';
import { fail, failSetting, secretPathsOf, settingRoutes } from '@flotilla/contract';
import { publish, type Tx } from '@flotilla/db';
import type { JsonObject } from '@flotilla/envoy-api';
import { diffForAudit } from '../http/audit-diff.ts';
import { actorName, type RequestContext, type WriteOutcome } from '../http/context.ts';
import { ANY_REVISION, requireMatch, tagOf } from '../http/etag.ts';
import type { Keyring } from '../keyring/index.ts';
import { type CheckedSetting, checkPatch, checkWhole, invalid, read } from './check.ts';
import type { SettingFollowUps } from './follow-ups.ts';
import type { SettingGuards } from './guards.ts';
import { encryptSecrets, openSecrets } from './secrets.ts';
import {
  canInherit,
  countNamed,
  deleteSetting,
  findSetting,
  lockSetting,
  type SettingPlace,
  type SettingRow,
  storeSetting,
} from './store.ts';
import { toView } from './views.ts';

/** Outbox topic: `{ key, name, project }`. */
export const SETTING_TOPIC = 'setting.changed';
/** Maximum number of documents of one kind in a project. */
const DOCUMENTS_MAX = 100;

export interface SettingWrite {
  readonly place: SettingPlace;
  readonly keyring: Keyring;
  /** The installation's value, which applies until the project has its own document (`canInherit`). */
  readonly inherited?: JsonObject | undefined;
  /** Stored even if it equals the defaults of its kind, as in the backup that it comes from. */
  readonly isRestored?: boolean;
  /** Derives the wanted value from the stored one. */
  readonly change: (stored: JsonObject) => CheckedSetting;
  /** Whether the document must or must not exist. */
  readonly expects?: 'absent' | 'present';
  /** The consequences to confirm, and the caller's confirmation. */
  readonly guards?: SettingGuards;
  readonly confirm?: number | undefined;
  readonly followUps?: SettingFollowUps;
}

/** Writes one document in `tx`. Unnamed secrets stay, and secrets are only stored encrypted. */
export async function writeSetting(ctx: RequestContext, tx: Tx, write: SettingWrite): Promise<WriteOutcome> {
  const { place, keyring } = write;
  const { type } = place;
  if (type.named && (await countNamed(tx, place)) >= DOCUMENTS_MAX && !(await findSetting(tx, place)))
    throw failSetting('setting.too_many', { max: DOCUMENTS_MAX });
  const row = await lockSetting(tx, place, ctx.now);
  const subject = place.name || type.key;
  if (write.expects === 'absent' && row.revision > 0) throw fail('record.exists', { kind: type.key, name: subject });
  if (row.revision === 0 && (write.expects === 'present' || (type.named && ctx.ifMatch?.includes(ANY_REVISION))))
    throw fail('record.not_found', { kind: type.key, name: subject });
  const inherited = row.revision > 0 ? undefined : write.inherited;
  // A document without a name always exists: before the first write it has its defaults.
  const isThere = row.revision > 0 || (!type.named && !inherited);
  requireMatch(isThere ? ctx : { ifMatch: ctx.ifMatch }, 'setting', row);
  const before = inherited ?? (toView(place, row.revision > 0 ? row : undefined).value as JsonObject);
  const checked = write.change(before);
  requireSecretsAgain(place, row, { before, checked });
  const { confirm } = write;
  const confirmed = await write.guards?.pass(tx, type, { before, after: checked.value, confirm });
  const secrets = mergeSecrets(row.secrets, openSecrets(keyring, place, row), checked, ctx.now);
  const isUnchanged = isThere && Object.keys(secrets.changes).length === 0 && isDeepStrictEqual(before, checked.value);
  if (isUnchanged && !write.isRestored) return keepAsIs(tx, place, row);
  const missing = (type.wanted?.(checked.value) ?? []).filter((path) => !secrets.values.has(path));
  if (missing.length > 0) throw invalid(missing.map((path) => ({ path, rule: 'required', message: 'is needed' })));
  const stored = await storeSetting(tx, row, {
    content: { value: checked.value, secrets: secrets.times, sealed: encryptSecrets(keyring, place, secrets.values) },
    at: ctx.now,
    by: actorName(ctx),
  });
  const followed = await write.followUps?.run(ctx, tx, type);
  await tell(tx, place, ctx.now);
  const changes = diffForAudit(before, checked.value, type.schema);
  return {
    reply: {
      body: toView(place, stored),
      etag: tagOf(stored),
      ...(type.named && row.revision === 0 && { status: 201, location: addressOf(place) }),
    },
    audit: {
      type: 'setting',
      name: labelOf(place),
      changes: { ...changes, secrets: secrets.changes, ...(confirmed && { confirmed }), ...followed },
    },
  };
}

/** A document that was never written stays unwritten: its row was only created for the lock. */
async function keepAsIs(tx: Tx, place: SettingPlace, row: SettingRow): Promise<WriteOutcome> {
  const isWritten = row.revision > 0;
  if (!isWritten) await deleteSetting(tx, row.id);
  const view = toView(place, isWritten ? row : undefined);
  return {
    reply: { body: view, etag: isWritten ? tagOf(row) : view.revision },
    audit: { type: 'setting', name: labelOf(place) },
    isUnchanged: true,
  };
}

/** Applies a merge patch to a document in `tx`. Throws request.invalid. */
export async function patchSetting(
  ctx: RequestContext,
  tx: Tx,
  { place, keyring, patch }: Pick<SettingWrite, 'place' | 'keyring'> & { readonly patch: JsonObject },
): Promise<WriteOutcome> {
  return writeSetting(ctx, tx, { place, keyring, change: (stored) => checkPatch(place.type, stored, patch) });
}

/** Deletes a named document, or the project's own in favour of the installation's; resets any other. */
export async function removeSetting(
  ctx: RequestContext,
  tx: Tx,
  { place, keyring, ...how }: Pick<SettingWrite, 'place' | 'keyring' | 'guards' | 'confirm' | 'followUps'>,
): Promise<WriteOutcome> {
  if (canInherit(place)) return removeOwn(ctx, tx, place);
  if (!place.type.named) {
    const { schema } = place.type;
    const secrets = new Map(secretPathsOf(schema).map((path) => [path, null]));
    const outcome = await writeSetting(ctx, tx, {
      place,
      keyring,
      change: () => ({ value: checkWhole(place.type, {}).value, secrets }),
      ...how,
    });
    return { ...outcome, reply: {} };
  }
  const row = await lockSetting(tx, place, ctx.now);
  if (row.revision === 0) throw fail('record.not_found', { kind: place.type.key, name: place.name });
  requireMatch(ctx, 'setting', row);
  await deleteSetting(tx, row.id);
  const changes = await how.followUps?.run(ctx, tx, place.type);
  await tell(tx, place, ctx.now);
  return { reply: {}, audit: { type: 'setting', name: labelOf(place), ...(changes && { changes }) } };
}

async function removeOwn(ctx: RequestContext, tx: Tx, place: SettingPlace): Promise<WriteOutcome> {
  const row = await lockSetting(tx, place, ctx.now);
  const isUnchanged = row.revision === 0;
  requireMatch(isUnchanged ? { ifMatch: ctx.ifMatch } : ctx, 'setting', row);
  await deleteSetting(tx, row.id);
  if (!isUnchanged) await tell(tx, place, ctx.now);
  return { reply: {}, audit: { type: 'setting', name: labelOf(place) }, isUnchanged };
}

/** Throws setting.secrets_again if a kept secret would be sent to another destination than it was given for. */
export function requireSecretsAgain(
  { type }: SettingPlace,
  row: SettingRow,
  { before, checked }: { before: JsonObject; checked: CheckedSetting },
): void {
  const kept = Object.keys(row.secrets).filter((path) => !checked.secrets.has(path));
  const moved = (type.sentTo ?? []).filter((path) => {
    const at = path.split('.');
    return !isDeepStrictEqual(read(before, at), read(checked.value, at));
  });
  if (kept.length > 0 && moved.length > 0)
    throw failSetting('setting.secrets_again', { fields: moved.join(', '), secrets: kept.join(', ') });
}

type SecretChanges = Record<string, 'set' | 'changed' | 'cleared'>;

/** `since`: the time at which each secret was set. */
export function mergeSecrets(
  since: Readonly<Record<string, string>>,
  open: ReadonlyMap<string, string>,
  { secrets }: CheckedSetting,
  now: Date,
) {
  const values = new Map(open);
  const times: Record<string, string> = { ...since };
  const changes: SecretChanges = {};
  for (const [path, given] of secrets) {
    const had = values.has(path);
    if (given === null) {
      if (!had) continue;
      values.delete(path);
      delete times[path];
      changes[path] = 'cleared';
    } else {
      values.set(path, given);
      times[path] = now.toISOString();
      changes[path] = had ? 'changed' : 'set';
    }
  }
  return { values, times, changes };
}

function addressOf({ type, name }: SettingPlace): string {
  return `${settingRoutes.kinds.path}/${type.key}/${encodeURIComponent(name)}`;
}

/** Name of the document in the audit log. */
export function labelOf({ type, name }: SettingPlace): string {
  return name ? `${type.key}/${name}` : type.key;
}

async function tell(tx: Tx, { type, name, project }: SettingPlace, now: Date): Promise<void> {
  await tellSetting(tx, { key: type.key, name, project }, now);
}

/** Announces a change of settings to controllers and screens, also of settings that are not documents. */
export async function tellSetting(
  tx: Tx,
  what: { readonly key: string; readonly name: string; readonly project: string | null },
  now: Date,
): Promise<void> {
  await publish(tx, SETTING_TOPIC, what, now);
}
