import { redactPlain } from './redact-plain.ts';
import { REDACTED, type SecretSet } from './secret-set.ts';

const SECRET_NAME = /key|password|secret|token|psk|pin/i;
/** They name files. */
const PUBLIC_NAME = /file$/i;

/** Masks keys and passwords in files of systemd-networkd, and notes them. */
export function redactNetworkd(text: string, secrets: SecretSet): string {
  const lines = text.split('\n').map((line) => {
    const [, name, value] = /^\s*([A-Za-z0-9]+)\s*=\s*(.*)$/.exec(line) ?? [];
    if (name === undefined || value === undefined || PUBLIC_NAME.test(name) || !SECRET_NAME.test(name)) return line;
    secrets.add(value);
    return `${name}=${REDACTED}`;
  });
  return redactPlain(lines.filter((line) => !/^\s*[#;]/.test(line)).join('\n'));
}
