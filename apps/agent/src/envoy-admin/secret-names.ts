/**
 * Fields with secrets, by name, in whatever message or free-form content they are. Names are compared without case, `_` and `-`.
 * A test compares the lists with every field that Envoy's API marks as sensitive, and with every field whose name looks like one.
 */

/** A text or number, or a list of them, under one of these names is a secret. */
const SECRET_TEXTS = toNames([
  'access_key',
  'access_token',
  'api_key',
  'api_token',
  'auth_token',
  'authorization',
  'authorization_token',
  'backend_token',
  'bearer_token',
  'client_secret',
  'config_yaml',
  'cookie',
  'google_refresh_token',
  'hmac_secret',
  'id_token',
  'json_key',
  'passphrase',
  'passwd',
  'password',
  'private_key',
  'private_key_pem',
  'refresh_token',
  'secret',
  'secret_access_key',
  'secret_key',
  'secrets',
  'session_token',
  'shared_secret',
  'signing_key',
  'token',
]);

/** The texts of a map under one of these names are secrets. */
const SECRET_MAPS = toNames(['context_extensions', 'secrets']);

/** The text of a DataSource (`inline_string`, `inline_bytes`) below one of these names is a secret. */
const SECRET_SOURCES = toNames([
  'access_token',
  'auth_password',
  'auth_username',
  'credentials_data_source',
  'downstream_auth_password',
  'downstream_auth_passwords',
  'downstream_auth_username',
  'keys',
  'local_jwks',
  'password',
  'pkcs12',
  'private_key',
  'secret',
  'secret_data',
  'secrets',
  'users',
  'web_identity_token_data_source',
]);

/** Everything below one of these names is a secret, except for what `PUBLIC` names. */
const SECRET_MESSAGES = toNames(['private_key_provider']);

/** The values of the headers in one of these lists are secrets: Envoy opens its connections with them. */
const SECRET_HEADERS = toNames(['initial_metadata', 'grpc_initial_metadata']);

/** The keys of API clients are secrets, and the names of the clients are not. */
const SECRET_KEYS = toNames(['credentials']);

const PUBLIC = toNames(['@type', 'environment_variable', 'filename', 'path', 'provider_name', 'watched_directory']);

/** Headers, cookies and query parameters that carry credentials. */
const CREDENTIAL = /auth(?!ority)|cookie|credential|passw|secret|session|token|api-?_?key|x-.*-key$/i;

export type SecretKind = 'text' | 'map' | 'source' | 'message' | 'headers' | 'keys';

const LISTS: ReadonlyArray<readonly [SecretKind, ReadonlySet<string>]> = [
  ['text', SECRET_TEXTS],
  ['map', SECRET_MAPS],
  ['source', SECRET_SOURCES],
  ['message', SECRET_MESSAGES],
  ['headers', SECRET_HEADERS],
  ['keys', SECRET_KEYS],
];

export function secretKindsOf(name: string): ReadonlySet<SecretKind> {
  const plain = toPlain(name);
  return new Set(LISTS.flatMap(([kind, names]) => (names.has(plain) ? [kind] : [])));
}

export function isPublic(name: string): boolean {
  return PUBLIC.has(toPlain(name));
}

export function carriesCredential(headerName: string): boolean {
  return CREDENTIAL.test(headerName);
}

function toNames(names: readonly string[]): ReadonlySet<string> {
  return new Set(names.map(toPlain));
}

function toPlain(name: string): string {
  return name.toLowerCase().replaceAll(/[_-]/g, '');
}
