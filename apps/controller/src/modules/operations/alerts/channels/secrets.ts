import { Buffer } from 'node:buffer';
import { type AlertTarget, failAlertChannel, type ShownAlertTarget } from '@flotilla/contract';
import type { Keyring } from '../../../../platform/keyring/index.ts';
import { alertChannelContext } from '../encryption-context.ts';

/** Where a channel sends, with its decrypted secret. Never leaves the delivery. */
export type OpenTarget =
  | { readonly kind: 'email'; readonly recipients: readonly string[] }
  | { readonly kind: 'webhook'; readonly url: string; readonly secret: string }
  | { readonly kind: 'slack'; readonly url: string };

/** The path of the secret in a record, by kind. An e-mail channel has none. */
export const SECRET_PATHS = { email: undefined, webhook: 'target.secret', slack: 'target.url' } as const;

/** Separates the part that is shown from the secret. `secret` is undefined if the caller gave none. */
export function splitTarget(target: AlertTarget): { shown: ShownAlertTarget; secret: string | undefined } {
  switch (target.kind) {
    case 'email':
      return { shown: target, secret: undefined };
    case 'webhook':
      return { shown: { kind: 'webhook', url: target.url }, secret: target.secret };
    case 'slack':
      return { shown: { kind: 'slack' }, secret: target.url };
  }
}

export function sealSecret(keyring: Pick<Keyring, 'encrypt'>, channelId: string, secret: string): Buffer {
  return keyring.encrypt(Buffer.from(secret), alertChannelContext(channelId));
}

export interface SealedChannel {
  readonly id: string;
  readonly target: ShownAlertTarget;
  readonly sealed: Buffer | null;
}

/** Throws alert_channel.secret_needed if the secret is missing, such as after a restore of a backup without secrets. */
export function openTarget(keyring: Pick<Keyring, 'decrypt'>, { id, target, sealed }: SealedChannel): OpenTarget {
  if (target.kind === 'email') return target;
  if (!sealed) throw secretNeeded(target.kind);
  const secret = keyring.decrypt(sealed, alertChannelContext(id)).toString();
  return target.kind === 'webhook' ? { ...target, secret } : { kind: 'slack', url: secret };
}

export function secretNeeded(kind: 'webhook' | 'slack') {
  const what = kind === 'webhook' ? 'a secret to sign messages with' : 'the address of the incoming webhook';
  return failAlertChannel('alert_channel.secret_needed', { what, path: SECRET_PATHS[kind] });
}
