import { create, type JsonObject, toBinary } from '@bufbuild/protobuf';
import { type Grant, type RequestView, removeQueryParameter } from '@flotilla/engines';
import { type PreparedMessage, prepareMessage } from '@flotilla/grpc-wire';
import { SHIELD_METADATA_NAMESPACE } from '@flotilla/policy';
import { extProc } from '@flotilla/proto';

type Response = Parameters<typeof create<typeof extProc.ProcessingResponseSchema>>[1];

const { SEND, SKIP } = extProc.ProcessingMode_HeaderSendMode;
const { NONE, BUFFERED_PARTIAL } = extProc.ProcessingMode_BodySendMode;
const { OVERWRITE_IF_EXISTS_OR_ADD } = extProc.HeaderValueOption_HeaderAppendAction;

/** Asks for nothing more of the request or its response. */
const NOTHING_MORE = {
  requestHeaderMode: SEND,
  responseHeaderMode: SKIP,
  requestBodyMode: NONE,
  responseBodyMode: NONE,
  requestTrailerMode: SKIP,
  responseTrailerMode: SKIP,
};

/**
 * Asks for the body in one message. Not BUFFERED: if a body exceeds Envoy's buffer, that override hangs the request or
 * answers it with 413 before the filter has seen it.
 */
const BODY_NEXT = { ...NOTHING_MORE, requestBodyMode: BUFFERED_PARTIAL };

export function encodeResponse(response: Response): Uint8Array {
  return toBinary(extProc.ProcessingResponseSchema, create(extProc.ProcessingResponseSchema, response));
}

function prepare(response: Response): PreparedMessage {
  return prepareMessage(encodeResponse(response));
}

function prepareHeadersAnswer(
  modeOverride: typeof NOTHING_MORE,
  headerMutation?: ReturnType<typeof toMutation>,
  dynamicMetadata?: JsonObject,
): PreparedMessage {
  return prepare({
    response: { case: 'requestHeaders', value: { response: headerMutation ? { headerMutation } : {} } },
    modeOverride,
    ...(dynamicMetadata ? { dynamicMetadata } : {}),
  });
}

const CONTINUE = prepareHeadersAnswer(NOTHING_MORE);
const CONTINUE_TO_BODY = prepareHeadersAnswer(BODY_NEXT);

/** The body is allowed. */
export const CONTINUE_BODY = prepare({ response: { case: 'requestBody', value: { response: {} } } });

/** There was no body, only trailers. */
export const CONTINUE_TRAILERS = prepare({ response: { case: 'requestTrailers', value: {} } });

/** Engines are few, and so are these answers. */
const detections = new Map<string, PreparedMessage>();

/** Continues after the body; the metadata names the engine that would have blocked. */
export function answerBody(kind: 'requestBody' | 'requestTrailers', detectedBy: string | undefined): PreparedMessage {
  if (detectedBy === undefined) return kind === 'requestBody' ? CONTINUE_BODY : CONTINUE_TRAILERS;
  const key = `${kind} ${detectedBy}`;
  const known = detections.get(key);
  if (known !== undefined) return known;
  const dynamicMetadata = { [SHIELD_METADATA_NAMESPACE]: detection(detectedBy) };
  const value = { response: {} };
  const answer = prepare(
    kind === 'requestBody'
      ? { response: { case: kind, value }, dynamicMetadata }
      : { response: { case: kind, value: {} }, dynamicMetadata },
  );
  detections.set(key, answer);
  return answer;
}

/** For access logs: the request was allowed although an engine objected. */
function detection(engine: string): JsonObject {
  return { action: 'detect', engine };
}

interface GrantAnswers {
  last?: PreparedMessage;
  beforeBody?: PreparedMessage;
}

/** The parts of a request that grants need. */
export interface AnsweredRequest extends Pick<RequestView, 'findNames'> {
  /** The value of `:path`. */
  readonly target: string;
}

const NO_NAMES: readonly string[] = [];

/** Encoded once per grant, for the lifetime of its engine. */
const answersByGrant = new WeakMap<Grant, GrantAnswers>();
/** The last lookup: a client that asks is likely to ask again. */
let lastGrant: Grant | undefined;
let lastAnswers: GrantAnswers = {};

/** Continues the headers with the engines' grants. `wantsBody`: the exchange waits for the request's body. */
export function answerHeaders(
  grants: readonly Grant[],
  wantsBody: boolean,
  request: AnsweredRequest,
  detectedBy?: string,
): PreparedMessage {
  const [grant] = grants;
  if (detectedBy !== undefined) return encodeGrants(grants, wantsBody, request, detectedBy);
  if (grant === undefined) return wantsBody ? CONTINUE_TO_BODY : CONTINUE;
  if (grants.length > 1 || grant.removeQueryParameter !== undefined) return encodeGrants(grants, wantsBody, request);
  // Few clients send headers that only engines may set; the answer to all others is the same.
  if (grant.ownHeaders !== undefined && request.findNames(grant.ownHeaders).length > 0)
    return encodeGrants(grants, wantsBody, request);
  const answers = grant === lastGrant ? lastAnswers : findAnswers(grant);
  if (wantsBody) {
    answers.beforeBody ??= encodeGrants(grants, true, ANY_REQUEST);
    return answers.beforeBody;
  }
  answers.last ??= encodeGrants(grants, false, ANY_REQUEST);
  return answers.last;
}

function findAnswers(grant: Grant): GrantAnswers {
  let answers = answersByGrant.get(grant);
  if (answers === undefined) {
    answers = {};
    answersByGrant.set(grant, answers);
  }
  lastGrant = grant;
  lastAnswers = answers;
  return answers;
}

/** For grants that need nothing of the request. */
const ANY_REQUEST: AnsweredRequest = { target: '', findNames: () => NO_NAMES };

function encodeGrants(
  grants: readonly Grant[],
  wantsBody: boolean,
  request: AnsweredRequest,
  detectedBy?: string,
): PreparedMessage {
  const subject = grants.find((grant) => grant.subject)?.subject;
  const facts = { ...(subject !== undefined && { subject }), ...(detectedBy !== undefined && detection(detectedBy)) };
  const metadata = Object.keys(facts).length === 0 ? undefined : { [SHIELD_METADATA_NAMESPACE]: facts };
  return prepareHeadersAnswer(wantsBody ? BODY_NEXT : NOTHING_MORE, toMutation(grants, request), metadata);
}

/** Envoy removes before it sets, so one engine may set a header that another withholds. */
function toMutation(grants: readonly Grant[], request: AnsweredRequest) {
  const removeHeaders = [...new Set(grants.flatMap((grant) => namesRemoved(grant, request)))];
  const set = new Map(grants.flatMap((grant) => grant.setHeaders ?? []));
  const stripped = grants.reduce(
    (path, { removeQueryParameter: name }) => (name === undefined ? path : removeQueryParameter(path, name)),
    request.target,
  );
  if (stripped !== request.target) set.set(':path', stripped);
  if (removeHeaders.length === 0 && set.size === 0) return undefined;
  return { removeHeaders, setHeaders: [...set].map(([name, value]) => toHeaderOption(name, value)) };
}

/**
 * Returns the request's headers that only engines may set: Envoy fails a request with more than a hundred removals, and
 * there are any number of spellings.
 */
function namesRemoved({ removeHeaders = NO_NAMES, ownHeaders }: Grant, request: AnsweredRequest): readonly string[] {
  return ownHeaders === undefined ? removeHeaders : [...removeHeaders, ...request.findNames(ownHeaders)];
}

/** Envoy reads `raw_value` in header mutations; newer versions ignore `value`. */
export function toHeaderOption(key: string, value: string) {
  return { header: { key, rawValue: Buffer.from(value) }, appendAction: OVERWRITE_IF_EXISTS_OR_ADD };
}
