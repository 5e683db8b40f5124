import { Decision, type PolicyRuntime } from '@flotilla/decision';
import type { extProc } from '@flotilla/proto';
import { CONTINUE_REQUEST, encodeBlock } from './answers.ts';
import type { ExtProcAnswer, ExtProcExchange } from './ext-proc-transport.ts';
import type { ShieldMetrics } from './metrics.ts';
import { RequestHeaders } from './request-headers.ts';

/** The name under which Envoy sends the attributes that the filter asked for. */
const ATTRIBUTES = 'envoy.filters.http.ext_proc';

export interface FilterOptions {
  /** Trusted proxies in front of Envoy that append to X-Forwarded-For. */
  readonly trustedHops: number;
  readonly metrics: ShieldMetrics;
  /** The bundle that holds for an exchange that begins now. */
  readonly currentRuntime: () => PolicyRuntime;
}

/** Opens the exchange of one request; it keeps the bundle it begins with. */
export function openExchange(options: FilterOptions): ExtProcExchange {
  const runtime = options.currentRuntime();
  return {
    answer(message) {
      const { request } = message;
      // A proxy that hides the request headers would get a pass for requests that nobody looked at.
      if (request.case !== 'requestHeaders')
        throw new Error(`the exchange began with ${request.case ?? 'an unknown message'}`);
      return answerRequestHeaders(message, request.value, runtime, options);
    },
  };
}

function answerRequestHeaders(
  message: extProc.ProcessingRequest,
  value: extProc.HttpHeaders,
  runtime: PolicyRuntime,
  { trustedHops, metrics }: FilterOptions,
): ExtProcAnswer {
  const peer = message.attributes[ATTRIBUTES]?.['source.address'];
  const request = new RequestHeaders(value.headers?.headers ?? [], {
    peerAddress: typeof peer === 'string' ? peer : '',
    trustedHops,
  });
  const outcome = new Decision(runtime, metrics).decideHeaders(request, false);
  metrics.onDecided(typeof outcome === 'object');
  return typeof outcome === 'object' ? encodeBlock(outcome) : CONTINUE_REQUEST;
}
