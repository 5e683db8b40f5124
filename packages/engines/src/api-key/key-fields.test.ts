import { FakeClock } from '@flotilla/kit';
import { digestApiKey } from '@flotilla/policy';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createTestRequest } from '../testing.ts';
import { createApiKeyEngine } from './api-key-engine.ts';
import { askFields, decideFields, FORM, METHOD } from './testing.ts';

const OPEN = { scopes: [], notBeforeMs: null, expiresAtMs: null, limit: null };

const askForm = (body: string | Buffer, type: string | undefined = FORM) => askFields({ type, body });

describe('a form field that overrides the method', () => {
  it.each([
    ['_method=DELETE', METHOD],
    ['_method=delete', METHOD],
    ['a=1&_method=DELETE&b=2', METHOD],
    ['_method=POST&_method=DELETE', METHOD],
    ['_method=DELETE&_method=POST', METHOD],
    ['%5fmethod=%44ELETE', METHOD],
    ['%5F%6d%65%74%68%6F%64=%64%65%6c%65%74%65', METHOD],
    // Spring's filter on Jetty, and older ASP.NET.
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
    // More leading signs than any real name has.
    [`${'%20'.repeat(5000)}_method=DELETE`, METHOD],
    // Express takes the first element of a list; qs and Rack drop the brackets of a name.
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
    // Rocket also reads keys after and before dots.
    ['_method.x=DELETE', METHOD],
    ['._method=DELETE', METHOD],
    // Older Rack split at `;` and dropped the following white space.
    ['a=1;_method=DELETE', METHOD],
    ['a=1;  _method=DELETE', METHOD],
    ['a=1& _method=DELETE', METHOD],
    // For others, `;` is part of a name, as in an index of PHP.
    ['_method[0]a;&=DELETE', 'allow'],
    ['_method[0]a;=DELETE', METHOD],
    // Body-parser drops a byte order mark.
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

  // The formData() of undici, and so of Hono, is `new URLSearchParams(text)`, which drops a leading question mark.
  it.each([
    ['?_method=DELETE', METHOD],
    ['??_method=DELETE', METHOD],
    ['\xef\xbb\xbf?_method=DELETE', METHOD],
    ['?\xef\xbb\xbf_method=DELETE', METHOD],
    ['%EF%BB%BF_method=DELETE', METHOD],
    ['?%5fmethod=DELETE', METHOD],
    ['?[_method]=DELETE', METHOD],
    ['?a=1;_method=DELETE', METHOD],
    ['a=1?_method=DELETE', METHOD],
    ['a=1&?_method=DELETE', METHOD],
    ['?_method=POST', 'allow'],
    ['?', 'allow'],
    ['a=what?&b=?', 'allow'],
    ['a=_method?&b=DELETE', 'allow'],
  ])('is found behind question marks and a byte order mark (attack 7): %j: %s', (body, expected) => {
    expect(askForm(body)).toBe(expected);
  });

  it('is a finding that names the key and its allowed methods', () => {
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

  it('is found however it is escaped, at any position', () => {
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

describe('the bodies that are inspected', () => {
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
    // Formidable searches for the word.
    ['text/urlencoded', METHOD],
    // Rack treats a POST without a type as a form.
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
  ])('depend on the type %j: %s', (type, expected) => expect(askForm(body, type)).toBe(expected));

  it('do not include forms in a charset that redefines ASCII, which are rejected', () => {
    for (const charset of ['ibm037', 'utf-16', 'utf-7', 'iso-2022-jp', 'x-unknown'])
      expect(askForm('a=1', `${FORM}; charset=${charset}`)).toBe(METHOD);
    for (const charset of ['utf-8', 'iso-8859-1', 'windows-1252', 'shift_jis'])
      expect(askForm('a=1', `${FORM}; charset=${charset}`)).toBe('allow');
  });

  it('depend on every content type if there are several', () => {
    const headers: [string, string][] = [
      ['x-api-key', 'k'],
      ['content-type', 'text/plain'],
      ['content-type', FORM],
    ];
    expect(askFields({ headers, body })).toBe(METHOD);
    expect(askFields({ headers: [...headers.slice(0, 2), ['content_type', FORM]], body })).toBe(METHOD);
  });

  it.each(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'OPTIONS'])(
    'include those of %s, which some framework overrides',
    (method) => {
      expect(askFields({ method, type: FORM, body }, [method])).toBe(METHOD);
      expect(askFields({ method, type: FORM, body: 'a=1' }, [method])).toBe('allow');
    },
  );

  it('do not include data after CONNECT or a WebSocket handshake', () => {
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

  it('are never inspected for a key with any method, an unknown key, or a request that is blocked anyway', () => {
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

  it('need no body phase if no key names a method', () => {
    const keys = [{ ...OPEN, sha256: digestApiKey('k'), subject: '', methods: [] }];
    const sources = [{ source: 'header' as const, name: 'x-api-key' }];
    const engine = createApiKeyEngine(
      { sources, keys, bindings: [], stripCredential: false, subjectHeader: '' },
      new FakeClock(),
    );
    expect(engine.body).toBeUndefined();
  });
});
