import { create, toBinary } from '@bufbuild/protobuf';
import type { BlockVerdict } from '@flotilla/engines';
import { extProc } from '@flotilla/proto';
import type { ExtProcAnswer } from './ext-proc-transport.ts';

type Response = Parameters<typeof create<typeof extProc.ProcessingResponseSchema>>[1];

function encodeLast(response: Response): ExtProcAnswer {
  const message = create(extProc.ProcessingResponseSchema, response);
  return { bytes: toBinary(extProc.ProcessingResponseSchema, message), isLast: true };
}

const { SEND, SKIP } = extProc.ProcessingMode_HeaderSendMode;
const { NONE } = extProc.ProcessingMode_BodySendMode;

/** Lets the request go on and asks for nothing more of it. */
export const CONTINUE_REQUEST: ExtProcAnswer = encodeLast({
  response: { case: 'requestHeaders', value: { response: {} } },
  modeOverride: {
    requestHeaderMode: SEND,
    responseHeaderMode: SKIP,
    requestBodyMode: NONE,
    responseBodyMode: NONE,
    requestTrailerMode: SKIP,
    responseTrailerMode: SKIP,
  },
});

const BLOCKED_BODY = Buffer.from('Request blocked.\n');
const LIMITED_BODY = Buffer.from('Too many requests.\n');

/** Encoded blocks are kept: there are few reasons, and an attack asks for the same answer again and again. */
const BLOCKS_KEPT_MAX = 1024;
const blocks = new Map<string, ExtProcAnswer>();

/** The immediate response of a block. The reason goes to Envoy's access log (`details`), not to the client. */
export function encodeBlock(verdict: BlockVerdict): ExtProcAnswer {
  const { status, reason, retryAfterSeconds } = verdict;
  const key = `${status} ${retryAfterSeconds ?? ''} ${reason}`;
  const kept = blocks.get(key);
  if (kept) return kept;
  const setHeaders = [{ header: toHeader('x-svc-shield', 'blocked') }];
  if (retryAfterSeconds !== undefined) setHeaders.push({ header: toHeader('retry-after', String(retryAfterSeconds)) });
  const answer = encodeLast({
    response: {
      case: 'immediateResponse',
      value: {
        status: { code: status },
        headers: { setHeaders },
        body: status === 429 ? LIMITED_BODY : BLOCKED_BODY,
        details: reason,
      },
    },
  });
  if (blocks.size >= BLOCKS_KEPT_MAX) blocks.clear();
  blocks.set(key, answer);
  return answer;
}

/** Envoy reads `raw_value` in header mutations; `value` is ignored by its newer versions when both could be set. */
function toHeader(key: string, value: string) {
  return { key, rawValue: Buffer.from(value) };
}
