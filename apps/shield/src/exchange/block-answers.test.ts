import { fromBinary } from '@bufbuild/protobuf';
import { describeBlock, TrialView } from '@flotilla/decision';
import type { BlockVerdict } from '@flotilla/engines';
import type { PreparedMessage } from '@flotilla/grpc-wire';
import type { BlockResponse } from '@flotilla/policy';
import { extProc } from '@flotilla/proto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { answerBlock } from './block-answers.ts';

const MISSING: BlockVerdict = { kind: 'block', reason: 'apikey.missing', severity: 'high', status: 403 };
const LIMITED: BlockVerdict = {
  kind: 'block',
  reason: 'ratelimit.exceeded',
  severity: 'low',
  status: 429,
  retryAfterSeconds: 7,
};
const PROBLEM: BlockResponse = { format: 'problem_json', unauthorizedStatus: 403, realm: 'shop' };
const CHALLENGE: BlockResponse = { format: 'text', unauthorizedStatus: 401, realm: 'shop' };

const requestWith = (id?: string) =>
  new TrialView({ method: 'GET', url: '/', headers: id === undefined ? [] : [['x-request-id', id]] });

function read({ payload }: PreparedMessage) {
  const { response } = fromBinary(extProc.ProcessingResponseSchema, payload.subarray(5));
  if (response.case !== 'immediateResponse') throw new Error(String(response.case));
  const { status, headers, body, details, grpcStatus } = response.value;
  return {
    status: status?.code,
    headers: headers?.setHeaders.map(({ header }) => [header?.key, Buffer.from(header?.rawValue ?? []).toString()]),
    body: Buffer.from(body).toString(),
    details,
    grpc: grpcStatus?.status,
  };
}

const problemOf = (id?: string, verdict = MISSING) =>
  JSON.parse(read(answerBlock(verdict, PROBLEM, requestWith(id))).body);

describe('a problem document', () => {
  it('has the status and id of the request, and no reason', () => {
    const answer = read(answerBlock(MISSING, PROBLEM, requestWith('2f1c-44')));
    expect(answer).toMatchObject({ status: 403, details: 'apikey.missing' });
    expect(answer.headers).toEqual([
      ['x-svc-shield', 'blocked'],
      ['content-type', 'application/problem+json'],
    ]);
    expect(JSON.parse(answer.body)).toEqual({
      title: 'Forbidden',
      status: 403,
      detail: 'Request blocked.',
      request_id: '2f1c-44',
    });
    expect(read(answerBlock(LIMITED, PROBLEM, requestWith('a'))).headers).toContainEqual(['retry-after', '7']);
    expect(problemOf('a', LIMITED)).toMatchObject({ title: 'Too Many Requests', status: 429 });
  });

  it.each(['', '"}', 'a b', 'a\\', 'é', '\u007f', '<x>', 'a'.repeat(129)])(
    'omits an empty id and one that needs escaping: %j',
    (id) => {
      expect(problemOf(id)).not.toHaveProperty('request_id');
    },
  );

  it('belongs to its own request and reason, whatever was answered before, and equals the one in an explanation', () => {
    const id = fc.stringMatching(/^[A-Za-z0-9-]{1,128}$/);
    fc.assert(
      fc.property(fc.array(fc.tuple(id, fc.boolean()), { maxLength: 6 }), (asked) => {
        for (const [requestId, isLimited] of asked) {
          const verdict = isLimited ? LIMITED : MISSING;
          const answer = read(answerBlock(verdict, PROBLEM, requestWith(requestId)));
          expect(answer).toMatchObject(describeBlock(verdict, { response: PROBLEM, requestId }));
          expect(answer.details).toBe(verdict.reason);
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe('a challenge', () => {
  it.each([
    ['apikey.missing', 'ApiKey realm="shop"'],
    ['jwt.invalid', 'Bearer realm="shop"'],
  ] as const)('is sent with a 401 for %s', (reason, challenge) => {
    const answer = read(answerBlock({ ...MISSING, reason, status: 401 }, CHALLENGE, requestWith('a')));
    expect(answer).toMatchObject({ status: 401, body: 'Request blocked.\n', details: reason });
    expect(answer.headers).toEqual([
      ['x-svc-shield', 'blocked'],
      ['www-authenticate', challenge],
    ]);
  });

  it('is not sent with other blocks', () => {
    const scope = read(answerBlock({ ...MISSING, reason: 'apikey.scope' }, CHALLENGE, requestWith()));
    expect(scope).toMatchObject({ status: 403, headers: [['x-svc-shield', 'blocked']] });
  });
});

it('a text response is encoded once, with and without a challenge', () => {
  for (const response of [undefined, CHALLENGE]) {
    expect(answerBlock(MISSING, response, requestWith('a'))).toBe(answerBlock(MISSING, response, requestWith('b')));
  }
  expect(answerBlock(MISSING, PROBLEM, requestWith())).toBe(answerBlock(MISSING, PROBLEM, requestWith()));
});

it('a limit is RESOURCE_EXHAUSTED for a gRPC client; the proxy maps other statuses', () => {
  expect(read(answerBlock(LIMITED, undefined, requestWith())).grpc).toBe(8);
  expect(read(answerBlock(MISSING, undefined, requestWith())).grpc).toBeUndefined();
});
