export { describeKeys } from './key-store.ts';
export type { InstallationKeyring, Keyring } from './keyring.ts';
export { type MasterKey, parseMasterKey } from './master-key.ts';
export { openKeyring } from './service.ts';
export { KEYS_TOPIC, KeyWatch, SEALS_AFTER_MS } from './watch.ts';
