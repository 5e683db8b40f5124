export { sealContexts } from './seal-contexts.ts';
export { type Keyring, openKeyring } from './service.ts';
