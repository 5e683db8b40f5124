import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { buildRuntime, type Finding, type PolicyRuntime } from '@flotilla/decision';
import type { Call, PreparedMessage } from '@flotilla/grpc-wire';
import { loadPolicyFiles } from '@flotilla/policy';
import { extProc } from '@flotilla/proto';
import { expect } from 'vitest';
import { type ExchangeListener, ExchangeServer } from '../exchange/exchange.ts';

/** A message from Envoy. */
export type Message = Parameters<typeof create<typeof extProc.ProcessingRequestSchema>>[1];
export type Headers = readonly (readonly [string, string | Uint8Array])[];

/** Records the events of an exchange. */
class Notes implements ExchangeListener {
  readonly lines: string[] = [];
  onFinding({ engine, verdict, outcome }: Finding): void {
    this.lines.push(`${outcome} ${engine} ${verdict.reason}`);
  }
  onEngineError(engine: string): void {
    this.lines.push(`broken ${engine}`);
  }
  onDecided(isBlocked: boolean): void {
    this.lines.push(isBlocked ? 'decided: blocked' : 'decided: allowed');
  }
  onBodyInspected(bytes: number): void {
    this.lines.push(`inspected ${bytes}`);
  }
  onBodyAsked(): void {
    this.lines.push('body asked');
  }
  onBodyArrived(isComplete: boolean): void {
    this.lines.push(isComplete ? 'body arrived' : 'body cut');
  }
  onBodyCut(isBelowCap: boolean): void {
    this.lines.push(isBelowCap ? 'cut below the cap' : 'cut');
  }
  onHeadersMissing(): void {
    this.lines.push('headers missing');
  }
  onBodyMissing(): void {
    this.lines.push('body missing');
  }
  onBodyIgnored(): void {
    this.lines.push('body ignored');
  }
  onBodyAbandoned(): void {
    this.lines.push('body abandoned');
  }
}

/** The wire's side of a call; records what would be sent. */
class RecordedCall implements Call {
  readonly sent: string[] = [];
  readonly answers: extProc.ProcessingResponse[] = [];
  send(message: PreparedMessage): void {
    this.sent.push('send');
    this.#keep(message);
  }
  finish(message: PreparedMessage | undefined): void {
    this.sent.push('finish');
    if (message) this.#keep(message);
  }
  fail(status: number): void {
    this.sent.push(`fail ${status}`);
  }
  #keep({ payload }: PreparedMessage): void {
    expect(payload.readUInt32BE(1)).toBe(payload.length - 5);
    this.answers.push(fromBinary(extProc.ProcessingResponseSchema, payload.subarray(5)));
  }
}

/** A bundle with these engines for api.example.com. */
export function runtimeOf(engines: object, defaults: object = {}): PolicyRuntime {
  const spec = { defaults, domains: [{ hosts: ['api.example.com'], policy: { engines } }] };
  const document = { apiVersion: 'flotilla.dev/v1', kind: 'SecurityPolicy', metadata: { name: 'p' }, spec };
  const loaded = loadPolicyFiles([{ path: 'p.json', content: JSON.stringify(document) }]);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.error));
  return buildRuntime(loaded.value, { nowMs: 0 });
}

/** The exchanges of one thread, their events, and Envoy's side of them. */
export function serve(runtime: PolicyRuntime | (() => PolicyRuntime), awaitedMaxBytes?: number) {
  const notes = new Notes();
  const currentRuntime = typeof runtime === 'function' ? runtime : () => runtime;
  const server = new ExchangeServer({
    trustedHops: 0,
    listener: notes,
    currentRuntime,
    ...(awaitedMaxBytes === undefined ? {} : { awaitedMaxBytes }),
  });
  const open = () => {
    const call = new RecordedCall();
    const handler = server.open(call);
    const tell = (init: Message) => {
      const encoded = toBinary(extProc.ProcessingRequestSchema, create(extProc.ProcessingRequestSchema, init));
      // The bytes belong to the wire, which reuses them.
      const bytes = Buffer.concat([Buffer.from('before'), encoded, Buffer.from('behind')]);
      handler.onMessage(bytes, 6, 6 + encoded.length);
      bytes.fill(0);
      return call.answers.at(-1)?.response;
    };
    return { tell, handler, call };
  };
  return { notes, open, ask: (init: Message) => open().tell(init) };
}

export const REQUEST: Headers = [
  [':method', 'GET'],
  [':path', '/x'],
  [':authority', 'api.example.com'],
];

export function headersMessage(headers: Headers, options: { peer?: string; endOfStream?: boolean } = {}): Message {
  const { peer, endOfStream = true } = options;
  return {
    request: {
      case: 'requestHeaders',
      value: {
        headers: { headers: headers.map(([key, value]) => ({ key, rawValue: Buffer.from(value) })) },
        endOfStream,
      },
    },
    attributes: peer === undefined ? {} : { 'envoy.filters.http.ext_proc': { 'source.address': peer } },
  };
}

export const bodyMessage = (body: string, endOfStream = true): Message => ({
  request: { case: 'requestBody', value: { body: Buffer.from(body), endOfStream } },
});

/** The headers that a mutation sets. */
export const headersOf = (mutation: extProc.HeaderMutation | undefined) =>
  (mutation?.setHeaders ?? []).map(({ header }) => [header?.key, Buffer.from(header?.rawValue ?? []).toString()]);
