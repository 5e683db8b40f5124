import { LDAP_REALM, LDAP_SETTINGS, OIDC_SETTINGS } from '@flotilla/contract';
import type { Db, Tx } from '@flotilla/db';
import type { JsonObject } from '@flotilla/envoy-api';
import { holdStored, listStored } from '../../../platform/settings/index.ts';
import { isIssuerOf } from './issuer.ts';

/** A realm and the issuer that identifies its people: the same name with another issuer is another realm. */
export interface RealmOf {
  readonly realm: string;
  readonly issuer: string;
}

const OIDC_PREFIX = 'oidc/';

/**
 * Returns those realms that are disabled, deleted, or have another issuer now. Reads the stored settings even if the
 * schema refuses them.
 */
export async function listOff(db: Db, realms: readonly RealmOf[]): Promise<RealmOf[]> {
  if (realms.length === 0) return [];
  const directory = await listStored(db, LDAP_SETTINGS);
  const providers = await listStored(db, OIDC_SETTINGS);
  const stored = new Map<string, JsonObject>([
    ...directory.map(({ value }) => [LDAP_REALM, value] as const),
    ...providers.map(({ name, value }) => [`${OIDC_PREFIX}${name}`, value] as const),
  ]);
  return realms.filter((one) => !isOn(stored.get(one.realm), one));
}

/** Whether the realm is enabled; it cannot be disabled until the transaction ends. */
export async function isHeldOn(tx: Tx, of: RealmOf): Promise<boolean> {
  const isDirectory = of.realm === LDAP_REALM;
  const stored = isDirectory
    ? await holdStored(tx, LDAP_SETTINGS, '')
    : await holdStored(tx, OIDC_SETTINGS, of.realm.slice(OIDC_PREFIX.length));
  return isOn(stored, of);
}

function isOn(stored: JsonObject | undefined, { realm, issuer }: RealmOf): boolean {
  if (stored?.enabled !== true) return false;
  return realm === LDAP_REALM || (typeof stored.issuer === 'string' && isIssuerOf(stored.issuer, issuer));
}
