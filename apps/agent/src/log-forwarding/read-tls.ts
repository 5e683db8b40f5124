import { createPrivateKey, createPublicKey, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { err, ok, type Result } from '@flotilla/kit';
import { FORWARDING_PATTERNS, type ForwardingTls, PEM_MAX } from '@flotilla/proto/commands';

export type Members = Readonly<Record<string, unknown>>;

export function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isHost(value: unknown): value is string {
  if (typeof value !== 'string' || !FORWARDING_PATTERNS.host.test(value)) return false;
  return !value.includes(':') || isIP(value) === 6;
}

export function isPort(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= 65_535;
}

/** Reads the TLS part of an output. Null: without TLS. */
export function readTls(value: unknown): Result<ForwardingTls | null, string> {
  if (value === null || value === undefined) return ok(null);
  if (!isMembers(value)) return err('tls must be an object');
  const pems: Record<'ca_cert' | 'client_cert' | 'client_key', string | null> = {
    ca_cert: null,
    client_cert: null,
    client_key: null,
  };
  for (const name of ['ca_cert', 'client_cert', 'client_key'] as const) {
    const text = value[name] ?? null;
    if (text === null) continue;
    if (typeof text !== 'string' || text.length > PEM_MAX || !FORWARDING_PATTERNS.pem.test(text))
      return err(`tls.${name} must be PEM blocks of at most ${PEM_MAX} characters`);
    pems[name] = text.endsWith('\n') ? text : `${text}\n`;
  }
  const serverName = value.server_name ?? null;
  if (serverName !== null && !isHost(serverName)) return err('tls.server_name must be a host name');
  const problem = findPemProblem(pems);
  return problem === undefined ? ok({ ...pems, server_name: serverName }) : err(problem);
}

function findPemProblem(pems: Pick<ForwardingTls, 'ca_cert' | 'client_cert' | 'client_key'>): string | undefined {
  if (pems.ca_cert !== null && !isCertificate(pems.ca_cert)) return 'tls.ca_cert is not a certificate';
  if (pems.client_cert === null && pems.client_key === null) return undefined;
  if (pems.client_cert === null || pems.client_key === null) return 'tls.client_cert and tls.client_key go together';
  if (!isCertificate(pems.client_cert)) return 'tls.client_cert is not a certificate';
  try {
    const own = createPublicKey(createPrivateKey(pems.client_key)).export({ type: 'spki', format: 'der' });
    const certified = new X509Certificate(pems.client_cert).publicKey.export({ type: 'spki', format: 'der' });
    return own.equals(certified) ? undefined : 'tls.client_key is not the key of tls.client_cert';
  } catch {
    return 'tls.client_key is not a private key without a passphrase';
  }
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).subject !== undefined || true;
  } catch {
    return false;
  }
}
