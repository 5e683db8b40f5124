import { type BlockTelling, describeBlock, isTellableRequestId } from '@flotilla/decision';
import type { BlockVerdict, RequestView } from '@flotilla/engines';
import { type PreparedMessage, prepareMessage } from '@flotilla/grpc-wire';
import type { BlockResponse } from '@flotilla/policy';
import { encodeResponse, toHeaderOption } from './answers.ts';

/** Encoded blocks are cached: there are few reasons, and an attack gets the same response repeatedly. */
const BLOCKS_KEPT_MAX = 1024;
const blocks = new Map<BlockVerdict['reason'], Map<number, PreparedMessage>>();
let blocksKept = 0;
/** The last response and its verdict: most engines use one verdict object per reason. */
let lastVerdict: BlockVerdict | undefined;
let lastAnswer: PreparedMessage | undefined;

/**
 * The immediate response of a block. The reason goes to Envoy's access log (`details`), not to the client. `response`
 * is the policy's custom response; without it, and for every text response, nothing is encoded twice.
 */
export function answerBlock(
  verdict: BlockVerdict,
  response: BlockResponse | undefined,
  request: RequestView,
): PreparedMessage {
  if (response !== undefined) return answerBlockAs(response, verdict, request);
  if (verdict !== lastVerdict || lastAnswer === undefined) {
    lastVerdict = verdict;
    lastAnswer = findBlock(verdict);
  }
  return lastAnswer;
}

function findBlock(verdict: BlockVerdict): PreparedMessage {
  const { reason, retryAfterSeconds = 0 } = verdict;
  const kept = blocks.get(reason)?.get(retryAfterSeconds);
  if (kept !== undefined) return kept;
  if (blocksKept >= BLOCKS_KEPT_MAX) {
    blocks.clear();
    blocksKept = 0;
  }
  const answer = prepareMessage(encodeBlock(verdict));
  const ofReason = blocks.get(reason) ?? new Map<number, PreparedMessage>();
  blocks.set(reason, ofReason.set(retryAfterSeconds, answer));
  blocksKept += 1;
  return answer;
}

/** A response with a slot for a request id; ids of equal length share a template. */
interface Template {
  readonly bytes: Buffer;
  /** -1 if the response contains no id. */
  readonly idAt: number;
  /** Without an id the response is constant. */
  readonly prepared: PreparedMessage | undefined;
}

const templates = new Map<string, Template>();

function answerBlockAs(response: BlockResponse, verdict: BlockVerdict, request: RequestView): PreparedMessage {
  const id = response.format === 'problem_json' ? requestIdOf(request) : '';
  const { status, reason, retryAfterSeconds = 0 } = verdict;
  const key = `${response.format} ${status} ${reason} ${retryAfterSeconds} ${id.length} ${response.realm}`;
  let template = templates.get(key);
  if (template === undefined) {
    if (templates.size >= BLOCKS_KEPT_MAX) templates.clear();
    template = createTemplate(response, verdict, id.length);
    templates.set(key, template);
  }
  if (template.prepared !== undefined) return template.prepared;
  const bytes = Buffer.from(template.bytes);
  bytes.write(id, template.idAt, 'latin1');
  return prepareMessage(bytes);
}

function requestIdOf(request: RequestView): string {
  const [id = ''] = request.header('x-request-id');
  return isTellableRequestId(id) ? id : '';
}

/** Placeholder for an id in a template; the character occurs in no id and nowhere else in a response. */
const PLACEHOLDER = '\u007f';

function createTemplate(response: BlockResponse, verdict: BlockVerdict, idLength: number): Template {
  const requestId = PLACEHOLDER.repeat(idLength);
  const bytes = Buffer.from(encodeBlock(verdict, { response, requestId }));
  const idAt = idLength === 0 ? -1 : bytes.indexOf(requestId);
  return { bytes, idAt, prepared: idAt === -1 ? prepareMessage(bytes) : undefined };
}

/**
 * grpc/status.proto. Envoy converts responses to gRPC requests: 403 to PERMISSION_DENIED and 401 to UNAUTHENTICATED. It
 * would convert 429 to UNAVAILABLE, which clients retry at once because they think that the server is away.
 */
const RESOURCE_EXHAUSTED = 8;

function encodeBlock(verdict: BlockVerdict, telling?: BlockTelling): Uint8Array {
  const { status, headers, body } = describeBlock(verdict, telling);
  return encodeResponse({
    response: {
      case: 'immediateResponse',
      value: {
        status: { code: status },
        headers: { setHeaders: headers.map(([name, value]) => toHeaderOption(name, value)) },
        body: Buffer.from(body),
        ...(status === 429 ? { grpcStatus: { status: RESOURCE_EXHAUSTED } } : {}),
        details: verdict.reason,
      },
    },
  });
}
