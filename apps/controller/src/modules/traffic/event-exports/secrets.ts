import { Buffer } from 'node:buffer';
import { X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { type EventExportTarget, failEventExport, type ShownEventExportTarget } from '@flotilla/contract';
import { toErrorMessage } from '@flotilla/kit';
import type { Keyring } from '../../../platform/keyring/index.ts';
import { cleanText } from '../../../platform/outbound/index.ts';
import { eventExportContext } from './encryption-context.ts';

type Shown<K extends ShownEventExportTarget['kind']> = Extract<ShownEventExportTarget, { kind: K }>;

/** Where an export sends, with its decrypted secret. Never leaves the delivery. */
export type OpenTarget =
  | (Shown<'syslog'> & { readonly clientKey: string | undefined })
  | (Shown<'webhook'> & { readonly secret: string });

/** The path of the secret in a record, by kind. */
export const SECRET_PATHS = { syslog: 'target.client_key', webhook: 'target.secret' } as const;

/** Separates the part that is shown from the secret. `secret` is undefined if the caller gave none. */
export function splitTarget(target: EventExportTarget): { shown: ShownEventExportTarget; secret: string | undefined } {
  if (target.kind === 'webhook') {
    const { secret, ...shown } = target;
    return { shown, secret };
  }
  const { client_key: secret, ...shown } = target;
  return { shown, secret };
}

export function needsSecret(target: ShownEventExportTarget): boolean {
  return target.kind === 'webhook' || target.client_cert !== null;
}

/** Throws event_export.certificate if TLS cannot use the certificates, or if the key is not that of the certificate. */
export function requireUsable(target: ShownEventExportTarget, key: string | undefined): void {
  const cert = target.kind === 'syslog' ? target.client_cert : null;
  let path = 'target.ca_cert';
  try {
    parseCertificates(target.ca_cert);
    path = 'target.client_cert';
    parseCertificates(cert);
    path = 'target.client_key';
    if (cert !== null && key !== undefined) createSecureContext({ cert, key });
  } catch (error) {
    const reason = cleanText(toErrorMessage(error)).slice(0, 128);
    throw failEventExport('event_export.certificate', { reason, path }, { cause: error });
  }
}

/** OpenSSL ignores authorities that it cannot read, and refuses every receiver later. */
function parseCertificates(pem: string | null): void {
  for (const [block] of pem?.matchAll(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? []) {
    new X509Certificate(block);
  }
}

export function sealSecret(keyring: Pick<Keyring, 'encrypt'>, exportId: string, secret: string): Buffer {
  return keyring.encrypt(Buffer.from(secret), eventExportContext(exportId));
}

export interface SealedExport {
  readonly id: string;
  readonly target: ShownEventExportTarget;
  readonly sealed: Buffer | null;
}

/** Throws event_export.secret_needed if the secret is missing, such as after a restore of a backup without secrets. */
export function openTarget(keyring: Pick<Keyring, 'decrypt'>, { id, target, sealed }: SealedExport): OpenTarget {
  if (needsSecret(target) && !sealed) throw secretNeeded(target.kind);
  const secret = sealed ? keyring.decrypt(sealed, eventExportContext(id)).toString() : undefined;
  if (target.kind === 'syslog') return { ...target, clientKey: target.client_cert === null ? undefined : secret };
  return { ...target, secret: secret ?? '' };
}

export function secretNeeded(kind: ShownEventExportTarget['kind']) {
  const what = kind === 'webhook' ? 'a secret to sign messages with' : 'the private key of the client certificate';
  return failEventExport('event_export.secret_needed', { what, path: SECRET_PATHS[kind] });
}
