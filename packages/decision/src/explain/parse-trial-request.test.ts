import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseTrialRequest } from './parse-trial-request.ts';
import { TRIAL_BODY_MAX_BYTES } from './trial-request.ts';
import { bodyOfTrial } from './trial-view.ts';

describe('a trial request from outside', () => {
  it('defaults to GET', () => {
    expect(parseTrialRequest({ url: '/' })).toEqual({ ok: true, value: { method: 'GET', url: '/', headers: [] } });
  });

  it.each<[unknown, string]>([
    [null, 'a JSON object'],
    [[], 'a JSON object'],
    [{}, 'url is required'],
    [{ url: 1 }, 'url is required'],
    [{ url: 'x'.repeat(70_000) }, 'at most'],
    [
      { url: 'api.example.com/v1' },
      'url needs a scheme or a leading slash: write https://api.example.com/v1, or /v1 with ',
    ],
    [{ url: 'api.example.com:8443' }, 'url needs a scheme'],
    [{ url: '?a=b' }, 'url needs a scheme'],
    [{ url: '/', method: 'G T' }, 'method'],
    [{ url: '/', body: 'a', body_base64: 'YQ==' }, 'one of'],
    [{ url: '/', body_base64: 'YQ' }, 'padding'],
    [{ url: '/', body_base64: `${'YWJj'.repeat(20_000)}YQ==YWJj` }, 'padding'],
    [{ url: '/', body: 'x'.repeat(TRIAL_BODY_MAX_BYTES + 1) }, 'at most'],
    [{ url: '/', source_ip: 'localhost' }, 'source_ip'],
    [{ url: '/', peer: '1.2.3' }, 'peer'],
    [{ url: '/', trusted_hops: -1 }, 'trusted_hops'],
    [{ url: '/', trusted_hops: 1.5 }, 'trusted_hops'],
    [{ url: '/', headers: { a: 'b' } }, 'a list'],
    [{ url: '/', headers: [['a']] }, 'a list'],
    [{ url: '/', headers: [['a b', 'c']] }, 'headers[0]'],
    [{ url: '/', headers: Array.from({ length: 501 }, () => ['a', 'b']) }, 'at most'],
    [{ url: '/', headers: [['a', 'x'.repeat(300_000)]] }, 'at most'],
    [{ url: '/', bodyBase64: '' }, 'not a field'],
  ])('is refused with the field: %j', (value, message) => {
    const parsed = parseTrialRequest(value);
    if (parsed.ok) throw new Error('it was taken');
    expect(parsed.error).toContain(message);
  });

  it.each(['https://api.example.com', 'HTTP://api.example.com/', '/v1', '//v1', '*'])('takes the url %j', (url) => {
    expect(parseTrialRequest({ url })).toMatchObject({ ok: true, value: { url } });
  });

  it('never quotes what it rejects', () => {
    const parsed = parseTrialRequest({ url: '/', headers: [['SECRET NAME', 'SECRET']], source_ip: 'SECRET' });
    expect(JSON.stringify(parsed)).not.toContain('SECRET');
  });

  it('carries any bytes as base64', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        const parsed = parseTrialRequest({ url: '/', body_base64: Buffer.from(bytes).toString('base64') });
        if (!parsed.ok) throw new Error(parsed.error);
        expect(bodyOfTrial(parsed.value)).toEqual(Buffer.from(bytes));
      }),
    );
  });
});
