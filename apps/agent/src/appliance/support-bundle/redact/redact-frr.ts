import { redactPlain } from './redact-plain.ts';
import { REDACTED, type SecretSet } from './secret-set.ts';

/** Everything behind one of these words is a secret in FRR's configuration language. */
const SECRET =
  /^(.*?\b(?:password|key-string|authentication-key|message-digest-key\s+\d+\s+md5|authentication\s+string|community-string|snmp-server\s+community|passphrase|secret))\s+(\S.*)$/i;

/** Masks the passwords and keys of FRR's configuration, and notes them. */
export function redactFrr(text: string, secrets: SecretSet): string {
  const lines = text.split('\n').map((line) => {
    const [, head, tail] = SECRET.exec(line) ?? [];
    if (head === undefined || tail === undefined) return line;
    for (const word of tail.split(/\s+/)) secrets.add(word);
    return `${head} ${REDACTED}`;
  });
  return redactPlain(lines.join('\n'));
}
