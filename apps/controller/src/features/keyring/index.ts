export { type Keyring, openKeyring } from './service.ts';
