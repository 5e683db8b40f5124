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

/** The part of a decision that access logs show. */
export interface Judgement {
  /** A policy applies to the request. */
  readonly isInspected: boolean;
  /** The engine whose objection was only recorded. */
  readonly detectedBy: string | undefined;
}

const ALLOWED: Judgement = { isInspected: true, detectedBy: undefined };

/** Undefined while the body still decides, and for a request to which no policy applies: an access log must not show it as allowed. */
function toLogFacts({ isInspected, detectedBy }: Judgement, wantsBody: boolean): JsonObject | undefined {
  if (detectedBy !== undefined) return { action: 'detect', engine: detectedBy };
  return isInspected && !wantsBody ? { action: 'allow' } : undefined;
}

function toMetadata(facts: JsonObject | undefined): JsonObject | undefined {
  return facts && { [SHIELD_METADATA_NAMESPACE]: facts };
}

const CONTINUE = prepareHeadersAnswer(NOTHING_MORE);
const ALLOW = prepareHeadersAnswer(NOTHING_MORE, undefined, toMetadata(toLogFacts(ALLOWED, false)));
const CONTINUE_TO_BODY = prepareHeadersAnswer(BODY_NEXT);

/** Engines are few, and so are these answers. */
const bodyAnswers = new Map<string, PreparedMessage>();

/** Continues after the body; the metadata says that it was allowed, or names the engine that would have blocked. */
export function answerBody(kind: 'requestBody' | 'requestTrailers', detectedBy: string | undefined): PreparedMessage {
  const key = `${kind} ${detectedBy ?? ''}`;
  const known = bodyAnswers.get(key);
  if (known !== undefined) return known;
  const dynamicMetadata = toMetadata(toLogFacts({ isInspected: true, detectedBy }, false)) ?? {};
  const value = { response: {} };
  const answer = prepare(
    kind === 'requestBody'
      ? { response: { case: kind, value }, dynamicMetadata }
      : { response: { case: kind, value: {} }, dynamicMetadata },
  );
  bodyAnswers.set(key, answer);
  return answer;
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
  judgement: Judgement,
): PreparedMessage {
  const [grant] = grants;
  if (judgement.detectedBy !== undefined) return encodeGrants(grants, wantsBody, request, judgement);
  if (grant === undefined) return wantsBody ? CONTINUE_TO_BODY : judgement.isInspected ? ALLOW : CONTINUE;
  if (grants.length > 1 || grant.removeQueryParameter !== undefined)
    return encodeGrants(grants, wantsBody, request, judgement);
  // Few clients send headers that only engines may set; the answer to all others is the same.
  if (grant.ownHeaders !== undefined && request.findNames(grant.ownHeaders).length > 0)
    return encodeGrants(grants, wantsBody, request, judgement);
  // Only a policy that applies grants something.
  const answers = grant === lastGrant ? lastAnswers : findAnswers(grant);
  if (wantsBody) {
    answers.beforeBody ??= encodeGrants(grants, true, ANY_REQUEST, ALLOWED);
    return answers.beforeBody;
  }
  answers.last ??= encodeGrants(grants, false, ANY_REQUEST, ALLOWED);
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
  judgement: Judgement,
): PreparedMessage {
  const subject = grants.find((grant) => grant.subject)?.subject;
  const facts = { ...(subject !== undefined && { subject }), ...toLogFacts(judgement, wantsBody) };
  const metadata = Object.keys(facts).length === 0 ? undefined : toMetadata(facts);
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
