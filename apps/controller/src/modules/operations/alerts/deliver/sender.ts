import { type AlertTarget, failAlertChannel, OUTGOING_SETTINGS, SMTP_SETTINGS } from '@flotilla/contract';
import { type Closable, Lifecycle, toErrorMessage } from '@flotilla/kit';
import {
  type AddressGuard,
  createAddressGuard,
  RefusedAddress,
  requireLiteral,
} from '../../../../platform/outbound/index.ts';
import type { Settings } from '../../../../platform/settings/index.ts';
import type { OpenTarget } from '../channels/secrets.ts';
import { oneLine } from '../notify/message.ts';
import { type MailSettings, sendMail, verifyMail } from './mail.ts';
import type { Message } from './render.ts';
import { sendSlack, sendWebhook } from './webhook.ts';

/** The longest time of one attempt. */
export const SEND_DEADLINE_MS = 15_000;
const ERROR_MAX = 256;

/** Sends messages with the current settings of the installation. */
export class Sender implements Closable {
  readonly #watches = new Lifecycle();
  #mail: MailSettings = SMTP_SETTINGS.schema.parse({});
  #guard: AddressGuard = createAddressGuard([]);

  async start(settings: Pick<Settings, 'watch' | 'addTest'>): Promise<void> {
    const watches = [
      await settings.watch(SMTP_SETTINGS, (value) => {
        this.#mail = value;
      }),
      await settings.watch(OUTGOING_SETTINGS, (value) => {
        this.#guard = createAddressGuard(value.allowed_networks);
      }),
    ];
    for (const watch of watches) this.#watches.add(() => watch.close());
    settings.addTest(SMTP_SETTINGS, async (value, signal) => [await tryMail(value, signal)]);
  }

  close(): Promise<void> {
    return this.#watches.close();
  }

  /** Throws alert_channel.address for an address that channels may not use. Names are checked when they are resolved. */
  requireAddress(target: AlertTarget): void {
    const url = target.kind === 'email' ? null : URL.parse(target.url ?? '');
    if (!url) return;
    try {
      requireLiteral(url, this.#guard);
    } catch (error) {
      if (!(error instanceof RefusedAddress)) throw error;
      throw failAlertChannel('alert_channel.address', { host: url.hostname, reason: error.reason }, { cause: error });
    }
  }

  /** Resolves to the reason of a failure, without secrets, or to undefined if the receiver accepted the message. */
  async send(target: OpenTarget, message: Message, stop?: AbortSignal): Promise<string | undefined> {
    const deadline = AbortSignal.timeout(SEND_DEADLINE_MS);
    const signal = stop ? AbortSignal.any([deadline, stop]) : deadline;
    try {
      await this.#sendTo(target, message, signal);
      return undefined;
    } catch (error) {
      if (deadline.aborted) return `no answer within ${SEND_DEADLINE_MS / 1000} s`;
      return describeFailure(error, [...secretsOf(target), this.#mail.password ?? '']);
    }
  }

  async #sendTo(target: OpenTarget, message: Message, signal: AbortSignal): Promise<void> {
    const sending = { guard: this.#guard, signal };
    switch (target.kind) {
      case 'email':
        return sendMail(this.#mail, target.recipients, message, signal);
      case 'webhook':
        return sendWebhook(target, message, sending);
      case 'slack':
        return sendSlack(target, message, sending);
    }
  }
}

async function tryMail(settings: MailSettings, signal: AbortSignal) {
  try {
    await verifyMail(settings, signal);
    return { name: 'connect', ok: true, message: 'the mail server accepts the connection and the account' };
  } catch (error) {
    return { name: 'connect', ok: false, message: describeFailure(error, [settings.password ?? '']) };
  }
}

function secretsOf(target: OpenTarget): string[] {
  if (target.kind === 'email') return [];
  return target.kind === 'webhook' ? [target.secret] : [target.url, new URL(target.url).pathname];
}

function describeFailure(error: unknown, secrets: readonly string[]): string {
  const text = toErrorMessage(error);
  const code = (error as { code?: unknown } | null)?.code;
  const reason = text === '' && typeof code === 'string' ? code : text;
  const hidden = secrets.filter((secret) => secret.length > 1);
  return oneLine(
    hidden.reduce((said, secret) => said.replaceAll(secret, '[secret]'), reason),
    ERROR_MAX,
  );
}
