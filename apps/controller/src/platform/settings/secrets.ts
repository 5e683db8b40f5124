import { Buffer } from 'node:buffer';
import type { Keyring } from '../keyring/index.ts';
import { settingContext } from './encryption-context.ts';
import type { SettingPlace, SettingRow } from './store.ts';

/** Decrypts the secrets of a row, by path. */
export function openSecrets(keyring: Keyring, place: SettingPlace, row: SettingRow | undefined): Map<string, string> {
  if (!row?.sealed) return new Map();
  const opened = JSON.parse(
    keyring.decrypt(row.sealed, settingContext(place.project, place.type.key, place.name)).toString(),
  ) as Record<string, string>;
  return new Map(Object.entries(opened));
}

export function encryptSecrets(
  keyring: Keyring,
  place: SettingPlace,
  secrets: ReadonlyMap<string, string>,
): Buffer | null {
  if (secrets.size === 0) return null;
  return keyring.encrypt(
    Buffer.from(JSON.stringify(Object.fromEntries(secrets))),
    settingContext(place.project, place.type.key, place.name),
  );
}
