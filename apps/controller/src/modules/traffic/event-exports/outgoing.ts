import { Buffer } from 'node:buffer';
import { failEventExport, OUTGOING_SETTINGS, type ShownEventExportTarget } from '@flotilla/contract';
import { type Closable, toErrorMessage } from '@flotilla/kit';
import {
  type AddressGuard,
  cleanText,
  createAddressGuard,
  post,
  RefusedAddress,
  requireHost,
  requireLiteral,
  sendSyslogStream,
  signBody,
} from '../../../platform/outbound/index.ts';
import type { Settings } from '../../../platform/settings/index.ts';
import { DOCUMENT_VERSION, type EventDocument } from './document.ts';
import type { OpenTarget } from './secrets.ts';
import { formatDocument } from './syslog-format.ts';

const CONNECT_TIMEOUT_MS = 5000;
const WRITE_TIMEOUT_MS = 10_000;
/** The longest time of one attempt. */
export const SEND_DEADLINE_MS = CONNECT_TIMEOUT_MS + 2 * WRITE_TIMEOUT_MS;
const ERROR_MAX = 256;

/** Sends documents to receivers, to the addresses that the installation allows. */
export class Outgoing implements Closable {
  #guard: AddressGuard = createAddressGuard([]);
  #watch: { close(): Promise<void> } | undefined;

  async start(settings: Pick<Settings, 'watch'>): Promise<void> {
    this.#watch = await settings.watch(OUTGOING_SETTINGS, (value) => {
      this.#guard = createAddressGuard(value.allowed_networks);
    });
  }

  async close(): Promise<void> {
    await this.#watch?.close();
  }

  /** Throws event_export.address for an address that exports may not use. Names are checked when they are resolved. */
  requireAddress(target: ShownEventExportTarget): void {
    try {
      if (target.kind === 'syslog') requireHost(target, this.#guard);
      else requireLiteral(new URL(target.url), this.#guard);
    } catch (error) {
      if (!(error instanceof RefusedAddress)) throw error;
      const host = target.kind === 'syslog' ? target.host : new URL(target.url).hostname;
      throw failEventExport('event_export.address', { host, reason: error.reason }, { cause: error });
    }
  }

  /** Resolves to the reason of a failure, without secrets, or to undefined if the receiver has accepted all documents. */
  async send(target: OpenTarget, documents: readonly EventDocument[], stop: AbortSignal): Promise<string | undefined> {
    const deadline = AbortSignal.timeout(SEND_DEADLINE_MS);
    const signal = AbortSignal.any([deadline, stop]);
    try {
      if (target.kind === 'syslog') await this.#sendSyslog(target, documents, signal);
      else await this.#post(target, documents, signal);
      return undefined;
    } catch (error) {
      if (deadline.aborted) return `no answer within ${SEND_DEADLINE_MS / 1000} s`;
      return describeFailure(error, target);
    }
  }

  async #sendSyslog(
    target: Extract<OpenTarget, { kind: 'syslog' }>,
    documents: readonly EventDocument[],
    signal: AbortSignal,
  ): Promise<void> {
    const { host, port, protocol, ca_cert: ca, client_cert: cert, clientKey: key } = target;
    const messages = documents.map((document) => formatDocument(document, target));
    const tls = { ca: ca ?? undefined, cert: cert ?? undefined, key };
    await sendSyslogStream(
      messages,
      {
        host,
        port,
        tls: protocol === 'tls' ? tls : undefined,
        guard: this.#guard,
        connectTimeoutMs: CONNECT_TIMEOUT_MS,
        writeTimeoutMs: WRITE_TIMEOUT_MS,
        mustClose: true,
        signal,
      },
      () => signal.throwIfAborted(),
    );
  }

  async #post(
    { url, format, ca_cert: ca, secret }: Extract<OpenTarget, { kind: 'webhook' }>,
    documents: readonly EventDocument[],
    signal: AbortSignal,
  ): Promise<void> {
    const body = Buffer.from(
      format === 'json'
        ? JSON.stringify({ version: DOCUMENT_VERSION, events: documents })
        : documents.map((document) => `${JSON.stringify(document)}\n`).join(''),
    );
    const headers = {
      'content-type': format === 'json' ? 'application/json' : 'application/x-ndjson',
      ...signBody(body, secret),
    };
    await post({ url, headers, body, ca: ca ?? undefined, guard: this.#guard, signal });
  }
}

function describeFailure(error: unknown, target: OpenTarget): string {
  const text = toErrorMessage(error);
  const code = (error as { code?: unknown } | null)?.code;
  const reason = text === '' && typeof code === 'string' ? code : text;
  const secret = target.kind === 'webhook' ? target.secret : target.clientKey;
  const shown = secret ? reason.replaceAll(secret, '[secret]') : reason;
  return cleanText(shown).slice(0, ERROR_MAX);
}
