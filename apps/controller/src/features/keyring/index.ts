export { type Keyring, type KeyringOptions, openKeyring } from './service.ts';
