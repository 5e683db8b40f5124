export { API_TOKEN_PREFIX, authenticateApiToken, toFamilies } from './api-token-store.ts';
export { tokenSecretContext } from './encryption-context.ts';
export { findBySecret, findHolder, issueSecret, listSecrets, type NewSecret, rotateSecret } from './store.ts';
export { hasVouchedSecret } from './vouching-store.ts';
