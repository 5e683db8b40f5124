import type { FastifyRequest } from 'fastify';
import { expect, it } from 'vitest';
import { toErrorAnswer } from './errors.ts';

const request = { id: 'r1', routeOptions: {} } as FastifyRequest;
const refusedByDatabase = (message: string) => Object.assign(new Error(message), { code: '42501' });

it('an error of row-level security becomes the answer of a route that checks permissions', () => {
  const { status, body } = toErrorAnswer(refusedByDatabase('no permission to change this policy'), request);
  expect([status, body]).toEqual([
    403,
    expect.objectContaining({ code: 'permission.missing', kind: 'policy', level: 'change', request_id: 'r1' }),
  ]);
});

it('every other missing privilege is an internal failure, and its text stays hidden', () => {
  const { status, body } = toErrorAnswer(refusedByDatabase('permission denied for table audit_log'), request);
  expect([status, body.code]).toEqual([500, 'internal.failure']);
  expect(JSON.stringify(body)).not.toContain('audit_log');
});

it.each(['53100', 'ENOSPC'])(
  'a write that fails with %s is answered with a lack of space and a time to retry',
  (code) => {
    const { status, body, retryAfterS } = toErrorAnswer(
      Object.assign(new Error('could not extend file'), { code }),
      request,
    );
    expect([status, body.code, retryAfterS]).toEqual([503, 'service.unavailable', 30]);
    expect(body.message).toContain('space');
    expect(JSON.stringify(body)).not.toContain('extend');
  },
);
