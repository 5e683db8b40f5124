import type { SecretSet } from './secret-set.ts';

const SECRET_NAME = /pass|pwd|secret|token|key|credential|auth|psk/i;
const PEM_LINE_MIN = 20;
const DEPTH_MAX = 32;

/** Notes the secrets of a file of the agent, which is JSON. Such files are never part of a bundle. */
export function collectSecrets(text: string, secrets: SecretSet): void {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return;
  }
  visit(parsed, { isSecret: false, depth: 0 }, secrets);
}

function visit(value: unknown, { isSecret, depth }: { isSecret: boolean; depth: number }, secrets: SecretSet): void {
  if (depth > DEPTH_MAX) return;
  if (typeof value === 'string') {
    if (value.includes('PRIVATE KEY-----')) addKey(value, secrets);
    else if (isSecret && !value.startsWith('-----BEGIN CERTIFICATE')) secrets.add(value);
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  for (const [name, item] of Object.entries(value)) {
    visit(item, { isSecret: isSecret || SECRET_NAME.test(name), depth: depth + 1 }, secrets);
  }
}

/** Also a part of a key is a secret. */
function addKey(pem: string, secrets: SecretSet): void {
  const lines = pem.split(/\r?\n/).filter((line) => line.length >= PEM_LINE_MIN && !line.startsWith('-----'));
  for (const line of lines) secrets.add(line);
}
