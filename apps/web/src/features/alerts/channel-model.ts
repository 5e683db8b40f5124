import type { AlertChannelKind, AlertChannelValues, AlertChannelView } from '@flotilla/contract';
import { toLines } from './lines.ts';

/** The fields of the form. Secrets are empty until somebody types new ones. */
export interface ChannelFields {
  readonly name: string;
  readonly enabled: boolean;
  readonly kind: AlertChannelKind;
  /** One per line. */
  readonly recipients: string;
  readonly url: string;
  readonly secret: string;
}

/** The fields of a channel, or those of a new one. */
export function toForm(channel: AlertChannelView | undefined): ChannelFields & Record<string, unknown> {
  const target = channel?.target;
  return {
    name: channel?.name ?? '',
    enabled: channel?.enabled ?? true,
    kind: target?.kind ?? 'email',
    recipients: target?.kind === 'email' ? target.recipients.join('\n') : '',
    url: target?.kind === 'webhook' ? target.url : '',
    secret: '',
  };
}

/** The values to send. An empty secret is left out, so that the channel keeps the one that it has. */
export function toChannelValues({ name, enabled, ...typed }: ChannelFields): AlertChannelValues {
  return { name, enabled, target: toTarget(typed) };
}

function toTarget({ kind, recipients, url, secret }: Omit<ChannelFields, 'name' | 'enabled'>) {
  const address = url.trim();
  switch (kind) {
    case 'email':
      return { kind, recipients: toLines(recipients) };
    case 'webhook':
      return { kind, url: address, ...(secret !== '' && { secret }) };
    case 'slack':
      return { kind, ...(address !== '' && { url: address }) };
  }
}
