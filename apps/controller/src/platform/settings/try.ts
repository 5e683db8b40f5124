import { fail } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import type { JsonObject } from '@flotilla/envoy-api';
import type { Reply, RequestContext } from '../http/context.ts';
import type { Keyring } from '../keyring/index.ts';
import { checkWhole, invalid, withSecrets } from './check.ts';
import { openSecrets } from './secrets.ts';
import { findSetting, type SettingPlace } from './store.ts';
import type { SettingTrials } from './trials.ts';
import { toView } from './views.ts';
import { labelOf, mergeSecrets, requireSecretsAgain } from './write.ts';

interface TryDeps {
  /** Holds the document. */
  readonly db: Db;
  readonly keyring: Keyring;
  readonly trials: SettingTrials;
}

/**
 * Tests the document in the request without storing it; without a body, the stored one. Applies the checks of a write:
 * a stored secret is only sent to the destination that it was given for.
 */
export async function trySetting(
  ctx: RequestContext,
  { db, keyring, trials }: TryDeps,
  place: SettingPlace,
  body: unknown,
): Promise<Reply> {
  const value = await resolveGiven({ db, keyring }, place, body, ctx.now);
  const result = await trials.run(place.type, value);
  const failed = result.steps.find((step) => !step.ok);
  return ctx.write(async () => ({
    reply: { body: result },
    audit: {
      type: 'setting',
      name: labelOf(place),
      changes: { ok: result.ok, stored: body === undefined, ...(failed && { failed: failed.name }) },
    },
  }));
}

/**
 * The document as it would be read after storing the request, with its secrets; without a body, the stored one. Throws
 * the errors of storing it.
 */
export async function resolveGiven(
  { db, keyring }: Pick<TryDeps, 'db' | 'keyring'>,
  place: SettingPlace,
  body: unknown,
  now: Date,
): Promise<unknown> {
  const row = await findSetting(db, place);
  if (place.type.named && !row && body === undefined)
    throw fail('record.not_found', { kind: place.type.key, name: place.name });
  const before = toView(place, row).value as JsonObject;
  const opened = openSecrets(keyring, place, row);
  const checked = body === undefined ? { value: before, secrets: new Map() } : checkWhole(place.type, body);
  if (row) requireSecretsAgain(place, row, { before, checked });
  const { values } = mergeSecrets(row?.secrets ?? {}, opened, checked, now);
  const missing = (place.type.wanted?.(checked.value) ?? []).filter((path) => !values.has(path));
  if (missing.length > 0) throw invalid(missing.map((path) => ({ path, rule: 'required', message: 'is needed' })));
  return place.type.schema.parse(withSecrets(checked.value, values));
}
