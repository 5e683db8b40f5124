/** Field names that Envoy marks as sensitive. */
const SENSITIVE_FIELDS = [
  'auth_password',
  'auth_username',
  'backend_token',
  'context_extensions',
  'downstream_auth_password',
  'downstream_auth_passwords',
  'downstream_auth_username',
  'password',
  'pkcs12',
  'private_key',
  'private_key_provider',
  'secret',
  'secret_data',
  'session_ticket_keys',
  'users',
];
// Matches in JSON, JSON within JSON, and YAML; `private_key` and `privateKey`.
const MEMBER = new RegExp(
  `(?<![\\w-])(?:${SENSITIVE_FIELDS.map((name) => name.replaceAll('_', '_?')).join('|')})\\\\?["']?\\s*:`,
  'i',
);
const PEM = /-----BEGIN [A-Z ]*PRIVATE KEY/;

/** Whether the text of a document may contain something that must not go into the browser's storage. Prefers false positives. */
export function holdsSecret(text: string): boolean {
  return MEMBER.test(text) || PEM.test(text);
}
