export { API_TOKEN_PREFIX, authenticateApiToken, toFamilies } from './api-token-store.ts';
export { findBySecret, issueSecret, listSecrets, rotateSecret } from './store.ts';
