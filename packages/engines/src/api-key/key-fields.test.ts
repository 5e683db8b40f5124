import { FakeClock } from '@flotilla/kit';
import { digestApiKey } from '@flotilla/policy';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Budget, BudgetExceeded, UNLIMITED } from '../budget.ts';
import type { Verdict } from '../engine.ts';
import { createTestRequest, type TestRequest } from '../testing.ts';
import { createApiKeyEngine } from './api-key-engine.ts';

const OPEN = { scopes: [], notBeforeMs: null, expiresAtMs: null, limit: null };
const FORM = 'application/x-www-form-urlencoded';
const PARTS = 'multipart/form-data; boundary=b';
const JSON_TYPE = 'application/json';
const METHOD = 'apikey.method';

interface Sent extends TestRequest {
  readonly type?: string | undefined;
  readonly body: string | Buffer;
  readonly budget?: Budget;
}

function decide(methods: readonly string[], { type, body, budget = UNLIMITED, ...rest }: Sent): Verdict | 'unseen' {
  const engine = createApiKeyEngine(
    {
      sources: [{ source: 'header', name: 'x-api-key' }],
      keys: [
        { ...OPEN, sha256: digestApiKey('k'), subject: 'form', methods },
        { ...OPEN, sha256: digestApiKey('free'), subject: 'free', methods: [] },
      ],
      bindings: [],
      stripCredential: false,
      subjectHeader: '',
    },
    new FakeClock(),
  );
  const headers = [
    ...(type === undefined ? [] : [['content-type', type] as const]),
    ...(rest.headers ?? [['x-api-key', 'k'] as const]),
  ];
  const request = createTestRequest({ method: 'POST', ...rest, headers });
  const head = engine.decide(request, UNLIMITED);
  if (head.kind === 'block') return head;
  if (engine.body?.wants(request) !== true) return 'unseen';
  return engine.body.decide(request, typeof body === 'string' ? Buffer.from(body, 'latin1') : body, budget);
}

function ask(sent: Sent, methods: readonly string[] = ['GET', 'POST']): string {
  const verdict = decide(methods, sent);
  return verdict === 'unseen' ? verdict : verdict.kind === 'allow' ? 'allow' : verdict.reason;
}

const askForm = (body: string | Buffer, type: string | undefined = FORM) => ask({ type, body });
const askJson = (body: string | Buffer, type: string = JSON_TYPE) => ask({ type, body });

const part = (headers: string, content = 'DELETE') => `--b\r\n${headers}\r\n\r\n${content}\r\n`;
const named = (name: string, content?: string) => part(`Content-Disposition: form-data; name=${name}`, content);
const askParts = (parts: string, type: string = PARTS) => ask({ type, body: `${parts}--b--\r\n` });

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
    expect(decide(['GET', 'POST'], { type: FORM, body: '_method=DELETE' })).toEqual({
      kind: 'block',
      reason: METHOD,
      severity: 'high',
      status: 403,
      subject: 'form',
      detail: 'the key may be used for GET, POST; the request overrides its method',
    });
    expect(decide(['POST'], { type: `${FORM}; charset=utf-16`, body: 'a=1' })).toMatchObject({
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
    expect(ask({ headers, body })).toBe(METHOD);
    expect(ask({ headers: [...headers.slice(0, 2), ['content_type', FORM]], body })).toBe(METHOD);
  });

  it.each(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'OPTIONS'])('of %s, which some framework overrides', (method) => {
    expect(ask({ method, type: FORM, body }, [method])).toBe(METHOD);
    expect(ask({ method, type: FORM, body: 'a=1' }, [method])).toBe('allow');
  });

  it('but not what follows CONNECT or the handshake of a WebSocket', () => {
    expect(ask({ method: 'CONNECT', body }, ['CONNECT'])).toBe('unseen');
    const upgrade: [string, string][] = [
      ['x-api-key', 'k'],
      ['upgrade', 'websocket'],
    ];
    expect(ask({ method: 'GET', headers: upgrade, body })).toBe('unseen');
    expect(ask({ method: 'POST', headers: upgrade, body })).toBe(METHOD);
    expect(ask({ method: 'GET', headers: [...upgrade, ['content-length', '14']], body })).toBe(METHOD);
    expect(ask({ method: 'POST', type: 'text/plain', headers: upgrade, body })).toBe('unseen');
  });

  it('and none for a key that is for any method, one that is unknown, or a request that is blocked anyway', () => {
    expect(ask({ headers: [['x-api-key', 'free']], type: FORM, body })).toBe('unseen');
    expect(ask({ headers: [['x-api-key', 'nobody']], type: FORM, body })).toBe('apikey.unknown');
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

describe('a part of a form that overrides the method', () => {
  it.each([
    ['in quotes', named('"_method"'), METHOD],
    ['without quotes', named('_method'), METHOD],
    ['in single quotes', named("'_method'"), METHOD],
    ['in other case', named('"_Method"'), METHOD],
    ['behind another part', named('"a"', '1') + named('"_method"'), METHOD],
    ['twice', named('"_method"', 'POST') + named('"_method"'), METHOD],
    ['in a list', named('"_method[]"'), METHOD],
    ['with white space', part('Content-Disposition: form-data; name = "_method"'), METHOD],
    ['on a line of its own', part('Content-Disposition: form-data;\r\n name="_method"'), METHOD],
    ['behind a header', part('X: y\r\ncontent-disposition: form-data; NAME="_method"'), METHOD],
    ['behind another name', part('Content-Disposition: form-data; name="a"; name="_method"'), METHOD],
    ['before a filename', part('Content-Disposition: form-data; name="_method"; filename="x"'), METHOD],
    ['behind a filename', part('Content-Disposition: form-data; filename="x"; name="_method"'), METHOD],
    ['within a filename', part('Content-Disposition: form-data; name="a"; filename="x\\"; name=\\"_method"'), METHOD],
    ['escaped', named('"%5Fmethod"'), METHOD],
    ['with backslashes', named('"\\_m\\ethod"'), METHOD],
    ['in a quote that does not end', named('"_method'), METHOD],
    ['up to a NUL', named('"_method\0x"'), METHOD],
    ['as PHP reads it', named('".method"'), METHOD],
    ['by a name that formidable finds', part('Content-Disposition: form-data; x-name="_method"'), METHOD],
    ['by RFC 2231', named("*=utf-8''%5Fmethod").replace('name=*', 'name*'), METHOD],
    ['in pieces', part('Content-Disposition: form-data; name*0="_met"; name*1="hod"'), METHOD],
    ['as Rack finds it where there is no other', part('Content-ID: _method'), METHOD],
    ['behind a Content-ID', part('content-id:"_method"\r\nContent-Disposition: form-data'), METHOD],
    ['in words of mails', named('"=?utf-8?q?=5Fmethod?="'), METHOD],
    [
      'with a content in base64',
      part('Content-Transfer-Encoding: base64\r\nContent-Disposition: form-data; name="_method"', 'REVMRVRF'),
      METHOD,
    ],
    [
      'with a charset',
      part('Content-Disposition: form-data; name="_method"\r\nContent-Type: text/plain; charset=utf-16', 'D\0E\0L\0'),
      METHOD,
    ],
    ['within white space', named('"_method"', '\r\n DELETE '), METHOD],
    [
      'in a part of a part',
      part(
        'Content-Disposition: form-data; name="_method"\r\nContent-Type: multipart/mixed; boundary=c',
        '--c\r\n\r\nDELETE\r\n--c--',
      ),
      METHOD,
    ],
    ['that is long', named('"_method"', `POST,${'x'.repeat(300)}`), METHOD],
    ['before the first delimiter', `Content-Disposition: form-data; name="_method"\r\n\r\nDELETE\r\n`, METHOD],
    ['that is listed', named('"_method"', 'post'), 'allow'],
    ['that is empty', named('"_method"', ''), 'allow'],
    ['in no name', named('"a"', '_method=DELETE'), 'allow'],
    ['in a name that is longer', named('"_methods"') + named('"payment_method"'), 'allow'],
    ['in a filename', part('Content-Disposition: form-data; name="a"; filename="_method"'), 'allow'],
    ['beside a name with escapes', named('"a%22b"', '1') + named('"a\\"b"', '2'), 'allow'],
    [
      'beside a file',
      part(
        'Content-Disposition: form-data; name="a"; filename="x.png"\r\nContent-Type: image/png',
        '\x89PNG\r\n\x1a\n--\r\n\r\n\0',
      ),
      'allow',
    ],
  ])('%s', (_, parts, expected) => expect(askParts(parts)).toBe(expected));

  it.each([
    'multipart/form-data; boundary="b"',
    'Multipart/Form-Data;boundary=b',
    'multipart/mixed; boundary=b',
    'multipart/related; boundary=b',
    'x/multipart; boundary=b',
    'multipart/form-data',
    'multipart/form-data; boundary=x; boundary=b',
    "multipart/form-data; boundary*=utf-8''b",
    `${FORM}; x=multipart/form-data; boundary=b`,
  ])('is found under %s', (type) => {
    expect(askParts(named('"_method"'), type)).toBe(METHOD);
    expect(askParts(named('"a"'), type)).toBe('allow');
  });

  it('is found by other line ends, and delimiters that stand elsewhere', () => {
    const body = `${named('"_method"')}--b--\r\n`;
    for (const text of [
      body.replaceAll('\r\n', '\n'),
      body.replaceAll('\r\n', '\r'),
      `x${body}`,
      `\r\n${body}`,
      body.replaceAll('--b', '--b \t'),
    ])
      expect(ask({ type: PARTS, body: text })).toBe(METHOD);
  });

  it('is unread in a charset in which ASCII may be something else, and among more parts than servers take', () => {
    expect(askParts(named('"a"'), `${PARTS}; charset=ibm037`)).toBe(METHOD);
    expect(askParts(named('"a"'), `${PARTS}; charset=utf-8`)).toBe('allow');
    expect(askParts(named('"a"').repeat(9_000))).toBe('allow');
    expect(askParts(named('"a"').repeat(11_000))).toBe(METHOD);
  });
});

describe('a member of a JSON object that overrides the method', () => {
  it.each([
    ['{"_method":"DELETE"}', METHOD],
    [' \r\n\t{ "_method" : "delete" }', METHOD],
    ['{"a":{"b":[1,"}",{}]},"_method":"PUT"}', METHOD],
    ['{"_method":"POST","_method":"DELETE"}', METHOD],
    ['{"_METHOD":"DELETE"}', METHOD],
    ['{"\\u005fm\\u0065thod":"DELETE"}', METHOD],
    ['{"_method":"\\u0044ELETE"}', METHOD],
    ['{"_method":["DELETE"]}', METHOD],
    // Ruby takes a needless escape for its letter.
    ['{"_meth\\od":"DELETE"}', METHOD],
    ['{"\\u005fmeth\\od\n":"DELETE"}', METHOD],
    ['{"a":"\\\\","_method":"DELETE"}', METHOD],
    ['{"a":"\\"","_method":"DELETE"}', METHOD],
    ['\xef\xbb\xbf{"_method":"DELETE"}', METHOD],
    ['{"_method":"POST"}', 'allow'],
    ['{"_method":["POST"],"a":"DELETE"}', 'allow'],
    ['{"_method":null,"a":["DELETE"]}', 'allow'],
    ['{"a":"_method","b":"DELETE"}', 'allow'],
    ['{"a":"\\",\\"_method\\":\\"DELETE"}', 'allow'],
    ['{"payment":{"_method":"card"}}', 'allow'],
    ['[{"_method":"DELETE"}]', 'allow'],
    ['"_method"', 'allow'],
    ['{"_method', 'allow'],
    ['{"_method":"POST\\', METHOD],
    ['{}', 'allow'],
    ['', 'allow'],
  ])('%s: %s', (body, expected) => expect(askJson(body)).toBe(expected));

  it.each([
    ['application/json; charset=utf-8', 'utf8'],
    ['application/vnd.api+json', 'utf8'],
    ['text/json', 'utf8'],
    ['application/x-json', 'utf8'],
    ['application/geojson', 'utf8'],
    ['text/plain, application/json', 'utf8'],
    ['application/json; charset=utf-16le', 'utf16le'],
    ['application/json', 'utf16le'],
  ] as const)('is found under %s in %s', (type, encoding) => {
    expect(askJson(Buffer.from('{"_method":"DELETE"}', encoding), type)).toBe(METHOD);
    expect(askJson(Buffer.from('{"a":"DELETE"}', encoding), type)).toBe('allow');
  });

  it('is unread in a charset that nobody here decodes', () => {
    expect(askJson('+AHsAIgBfAG0AZQB0AGgAbwBkACIAOgAiAEQARQBMAEUAVABFACIAfQ-', 'application/json; charset=utf-7')).toBe(
      METHOD,
    );
  });

  it('is what JSON.parse makes of any object', () => {
    const keys = fc.constantFrom('_method', 'a', '_Method', '"', '\\', 'payment');
    const value = fc.oneof(fc.constantFrom('DELETE', 'POST', 'x"},'), fc.integer(), fc.jsonValue({ maxDepth: 2 }));
    fc.assert(
      fc.property(fc.array(fc.tuple(keys, value), { maxLength: 5 }), fc.boolean(), (members, isWide) => {
        const text = JSON.stringify(Object.fromEntries(members), null, isWide ? 2 : 0);
        const asks = Object.entries(JSON.parse(text) as Record<string, unknown>).some(
          ([key, asked]) => key.toLowerCase() === '_method' && asked === 'DELETE',
        );
        if (asks) expect(askJson(Buffer.from(text))).toBe(METHOD);
        else if (!/_method/i.test(text)) expect(askJson(Buffer.from(text))).toBe('allow');
      }),
    );
  });
});

describe('the time that looking for fields takes', () => {
  const spent: Budget = {
    check() {
      throw new BudgetExceeded();
    },
  };

  it('is asked for, whatever the body is', () => {
    const sent = { budget: spent };
    expect(() => ask({ ...sent, type: FORM, body: 'a=1' })).toThrow(BudgetExceeded);
    expect(() => ask({ ...sent, type: PARTS, body: named('"a"') })).toThrow(BudgetExceeded);
    expect(() => ask({ ...sent, type: JSON_TYPE, body: '{}' })).toThrow(BudgetExceeded);
  });

  it.each([
    ['names of escapes', FORM, '%41'],
    ['names of white space', FORM, '%20'],
    ['names of brackets', FORM, '['],
    ['pairs without a name', FORM, '&'],
    ['pairs cut off', FORM, '_method=;'],
    ['listed methods', FORM, '_method=POST&'],
    ['listed methods of another kind', FORM, '_method=POST;'],
    ['parts', PARTS, named('"_method"', 'POST')],
    ['delimiters', PARTS, '--b'],
    ['names of parts', PARTS, ' name="a"'],
    ['blank lines', PARTS, '\r\n'],
    ['strings', JSON_TYPE, '"\\"'],
    ['braces', JSON_TYPE, '{'],
    ['members', JSON_TYPE, '{"_method":'],
  ])('grows with the body alone: %s', (_, type, piece) => {
    const prefix = type === JSON_TYPE ? '{"_method":[' : '';
    const body = Buffer.from(prefix + piece.repeat(Math.floor((1024 * 1024) / piece.length)), 'latin1');
    const began = performance.now();
    ask({ type, body });
    expect(performance.now() - began).toBeLessThan(2000);
  });
});
