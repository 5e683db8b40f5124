import { type BlockTelling, describeBlock, isTellableRequestId } from '@flotilla/decision';
import type { BlockVerdict, RequestView } from '@flotilla/engines';
import { type PreparedMessage, prepareMessage } from '@flotilla/grpc-wire';
import type { BlockResponse } from '@flotilla/policy';
import { encodeResponse, toHeaderOption } from './answers.ts';

/** Encoded blocks are kept: there are few reasons, and an attack asks for the same answer again and again. */
const BLOCKS_KEPT_MAX = 1024;
const blocks = new Map<BlockVerdict['reason'], Map<number, PreparedMessage>>();
let blocksKept = 0;
/** What was answered last, and how: most engines have one verdict for all requests that they block for a reason. */
let lastVerdict: BlockVerdict | undefined;
let lastAnswer: PreparedMessage | undefined;

/**
 * The immediate response of a block. The reason goes to Envoy's access log (`details`), not to the client. `response` is
 * what the policy wants beyond the plain answer; without it, and for every answer in text, nothing is encoded twice.
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

/** An answer with room for a request id: every id of one length has it in one place. */
interface Template {
  readonly bytes: Buffer;
  /** -1 where the answer names no id. */
  readonly idAt: number;
  /** Without an id the answer is always the same. */
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

/** Stands for an id where a template is made; no id and nothing else of an answer has such characters. */
const PLACEHOLDER = '\u007f';

function createTemplate(response: BlockResponse, verdict: BlockVerdict, idLength: number): Template {
  const requestId = PLACEHOLDER.repeat(idLength);
  const bytes = Buffer.from(encodeBlock(verdict, { response, requestId }));
  const idAt = idLength === 0 ? -1 : bytes.indexOf(requestId);
  return { bytes, idAt, prepared: idAt === -1 ? prepareMessage(bytes) : undefined };
}

/**
 * grpc/status.proto. Envoy answers a gRPC request as gRPC, and makes 403 PERMISSION_DENIED and 401 UNAUTHENTICATED; 429 it
 * would make UNAVAILABLE, which clients take for a server that is away and try again at once.
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
