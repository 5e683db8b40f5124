import { FakeClock } from '@flotilla/kit';
import { digestApiKey } from '@flotilla/policy';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createTestRequest } from '../testing.ts';
import { createApiKeyEngine } from './api-key-engine.ts';
import { askFields, decideFields, FORM, METHOD } from './testing.ts';

const OPEN = { scopes: [], notBeforeMs: null, expiresAtMs: null, limit: null };

const askForm = (body: string | Buffer, type: string | undefined = FORM) => askFields({ type, body });

describe('a field of a form that overrides the method', () => {
  it.each([
    ['_method=DELETE', METHOD],
    ['_method=delete', METHOD],
    ['a=1&_method=DELETE&b=2', METHOD],
    ['_method=POST&_method=DELETE', METHOD],
    ['_method=DELETE&_method=POST', METHOD],
    ['%5fmethod=%44ELETE', METHOD],
    ['%5F%6d%65%74%68%6F%64=%64%65%6c%65%74%65', METHOD],
    // Spring's filter on Jetty, and the older ASP.NET.
    ['%u005fmethod=DELETE', METHOD],
    ['_method=%u0044ELETE', METHOD],
    // Slim.
    ['_METHOD=DELETE', METHOD],
    // ASP.NET MVC, Catalyst.
    ['X-HTTP-Method-Override=DELETE', METHOD],
    ['x-http-method%2doverride=PUT', METHOD],
    ['x-tunneled-method=DELETE', METHOD],
    // Struts, Flask.
    ['__http_method=DELETE', METHOD],
    ['__METHOD_OVERRIDE__=DELETE', METHOD],
    // More signs before a name than anybody means.
    [`${'%20'.repeat(5000)}_method=DELETE`, METHOD],
    // Of a list Express takes the first; qs and Rack drop the brackets of a name.
    ['_method[]=DELETE', METHOD],
    ['_method[0]=DELETE', METHOD],
    ['_method%5B7%5D=DELETE', METHOD],
    ['[_method]=DELETE', METHOD],
    ['%5B_method%5D[]=DELETE', METHOD],
    ['[[_method=DELETE', METHOD],
    ['_method]=DELETE', METHOD],
    // PHP.
    ['+_method=DELETE', METHOD],
    ['.method=DELETE', METHOD],
    ['%20%20.method=DELETE', METHOD],
    ['_method%00x=DELETE', METHOD],
    // Rocket reads keys behind and before dots.
    ['_method.x=DELETE', METHOD],
    ['._method=DELETE', METHOD],
    // Rack once split at `;` and dropped the white space behind.
    ['a=1;_method=DELETE', METHOD],
    ['a=1;  _method=DELETE', METHOD],
    ['a=1& _method=DELETE', METHOD],
    // To others a `;` is part of a name, as PHP reads an index.
    ['_method[0]a;&=DELETE', 'allow'],
    ['_method[0]a;=DELETE', METHOD],
    // Body-parser drops a mark.
    ['\xef\xbb\xbf_method=DELETE', METHOD],
    ['\r\n_method=DELETE', METHOD],
    ['_method=DELETE\0', METHOD],
    ['%zz&_method=PUT', METHOD],
    ['_method=POST,DELETE', METHOD],
    ['_method=M%2dSEARCH', METHOD],
    [`_method=POST${'%20'.repeat(200)}`, METHOD],
    ['_method=post', 'allow'],
    ['_method=GET', 'allow'],
    ['_method=', 'allow'],
    ['_method', 'allow'],
    ['', 'allow'],
    ['a=1&b=2', 'allow'],
    ['method=DELETE', 'allow'],
    ['[method]=DELETE', 'allow'],
    ['payment_method=DELETE', 'allow'],
    ['_methods=DELETE', 'allow'],
    ['_method_x=DELETE', 'allow'],
    ['a=_method&b=DELETE', 'allow'],
    ['user[_method]=DELETE', 'allow'],
  ])('%j: %s', (body, expected) => expect(askForm(body)).toBe(expected));

  it('is a finding that names whose key it was, and what it is for', () => {
    expect(decideFields(['GET', 'POST'], { type: FORM, body: '_method=DELETE' })).toEqual({
      kind: 'block',
      reason: METHOD,
      severity: 'high',
      status: 403,
      subject: 'form',
      detail: 'the key may be used for GET, POST; the request overrides its method',
    });
    expect(decideFields(['POST'], { type: `${FORM}; charset=utf-16`, body: 'a=1' })).toMatchObject({
      reason: METHOD,
      detail: 'the key may be used for POST; nobody can tell whether the body overrides its method',
    });
  });

  it('is found however it is escaped, wherever it stands', () => {
    const spell = (text: string, mask: readonly boolean[]) =>
      [...text].map((sign, n) => (mask[n] ? `%${sign.charCodeAt(0).toString(16)}` : sign)).join('');
    const others = fc.array(fc.string({ maxLength: 8 }).map(encodeURIComponent), { maxLength: 5 });
    const mask = fc.array(fc.boolean(), { minLength: 7, maxLength: 7 });
    fc.assert(
      fc.property(others, others, mask, (before, after, escaped) => {
        const body = [...before, `${spell('_method', escaped)}=PATCH`, ...after].join('&');
        expect(askForm(body)).toBe(METHOD);
      }),
    );
  });
});

describe('which bodies are looked into', () => {
  const body = '_method=DELETE';

  it.each([
    [FORM, METHOD],
    ['APPLICATION/X-WWW-FORM-URLENCODED', METHOD],
    [`${FORM};charset=utf-8`, METHOD],
    [`${FORM}, text/plain`, METHOD],
    [`text/plain, ${FORM}`, METHOD],
    [`text/plain; a="${FORM}"`, METHOD],
    ['application/x-www-\tform-urlencoded', METHOD],
    [`${FORM}x`, METHOD],
    // Formidable looks for the word.
    ['text/urlencoded', METHOD],
    // Rack takes a POST without a type for a form.
    [undefined, METHOD],
    ['', METHOD],
    [';charset=utf-8', METHOD],
    [',', METHOD],
    ['text/plain', 'unseen'],
    ['application/octet-stream', 'unseen'],
    ['image/png', 'unseen'],
    ['application/xml', 'unseen'],
    [`${FORM}; charset=utf-7`, METHOD],
    [`${FORM}; charset=ibm037`, METHOD],
  ])('of the type %j: %s', (type, expected) => expect(askForm(body, type)).toBe(expected));

  it('a form in a charset in which ASCII may be something else is read by nobody', () => {
    for (const charset of ['ibm037', 'utf-16', 'utf-7', 'iso-2022-jp', 'x-unknown'])
      expect(askForm('a=1', `${FORM}; charset=${charset}`)).toBe(METHOD);
    for (const charset of ['utf-8', 'iso-8859-1', 'windows-1252', 'shift_jis'])
      expect(askForm('a=1', `${FORM}; charset=${charset}`)).toBe('allow');
  });

  it('of several lines of the type each', () => {
    const headers: [string, string][] = [
      ['x-api-key', 'k'],
      ['content-type', 'text/plain'],
      ['content-type', FORM],
    ];
    expect(askFields({ headers, body })).toBe(METHOD);
    expect(askFields({ headers: [...headers.slice(0, 2), ['content_type', FORM]], body })).toBe(METHOD);
  });

  it.each(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'OPTIONS'])('of %s, which some framework overrides', (method) => {
    expect(askFields({ method, type: FORM, body }, [method])).toBe(METHOD);
    expect(askFields({ method, type: FORM, body: 'a=1' }, [method])).toBe('allow');
  });

  it('but not what follows CONNECT or the handshake of a WebSocket', () => {
    expect(askFields({ method: 'CONNECT', body }, ['CONNECT'])).toBe('unseen');
    const upgrade: [string, string][] = [
      ['x-api-key', 'k'],
      ['upgrade', 'websocket'],
    ];
    expect(askFields({ method: 'GET', headers: upgrade, body })).toBe('unseen');
    expect(askFields({ method: 'POST', headers: upgrade, body })).toBe(METHOD);
    expect(askFields({ method: 'GET', headers: [...upgrade, ['content-length', '14']], body })).toBe(METHOD);
    expect(askFields({ method: 'POST', type: 'text/plain', headers: upgrade, body })).toBe('unseen');
  });

  it('and none for a key that is for any method, one that is unknown, or a request that is blocked anyway', () => {
    expect(askFields({ headers: [['x-api-key', 'free']], type: FORM, body })).toBe('unseen');
    expect(askFields({ headers: [['x-api-key', 'nobody']], type: FORM, body })).toBe('apikey.unknown');
    const engine = createApiKeyEngine(
      {
        sources: [{ source: 'header', name: 'x-api-key' }],
        keys: [{ ...OPEN, sha256: digestApiKey('k'), subject: '', methods: ['POST'] }],
        bindings: [],
        stripCredential: false,
        subjectHeader: '',
      },
      new FakeClock(),
    );
    const blocked = (headers: [string, string][], method = 'POST') =>
      engine.body?.wants(createTestRequest({ method, headers: [['content-type', FORM], ...headers] }));
    expect(blocked([['x-api-key', 'k']])).toBe(true);
    expect(blocked([['x-api-key', 'k']], 'PUT')).toBe(false);
    expect(blocked([['x-api-key', 'nobody']])).toBe(false);
    expect(blocked([])).toBe(false);
  });

  it('and there is no body phase at all where no key names a method', () => {
    const keys = [{ ...OPEN, sha256: digestApiKey('k'), subject: '', methods: [] }];
    const sources = [{ source: 'header' as const, name: 'x-api-key' }];
    const engine = createApiKeyEngine(
      { sources, keys, bindings: [], stripCredential: false, subjectHeader: '' },
      new FakeClock(),
    );
    expect(engine.body).toBeUndefined();
  });
});
