export { API_TOKEN_PREFIX, authenticateApiToken, toFamilies } from './api-token-store.ts';
export { findBySecret, findHolder, issueSecret, listSecrets, rotateSecret } from './store.ts';
