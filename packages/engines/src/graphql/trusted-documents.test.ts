import { createHash } from 'node:crypto';
import { DocumentList } from '@flotilla/policy';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UNLIMITED } from '../budget.ts';
import { createTestRequest } from '../testing.ts';
import { createGraphqlEngine } from './graphql-engine.ts';
import { decideRequest, type GraphqlRequest, NO_LIMITS } from './testing.ts';
import { shareTrustedDocuments, TrustedDocuments } from './trusted-documents.ts';

const digest = (text: string | Buffer) => createHash('sha256').update(text).digest();

function listOf(...texts: readonly (string | Buffer)[]): DocumentList {
  return toList(texts.map(digest));
}

function toList(digests: readonly Buffer[]): DocumentList {
  const bytes = Buffer.concat(digests.toSorted(Buffer.compare));
  return new DocumentList(digest(bytes).toString('hex'), bytes);
}

const LISTED = [
  '{a}',
  'query A($b:Int){a(b:$b)}',
  '{a(b:"é😀\\u00e9")}',
  '{__schema{types{name}}}',
  '{a{b{c}}} # d;e\n',
];
const OPTIONS = {
  contentTypes: ['application/json', 'application/graphql', 'application/x-www-form-urlencoded', 'multipart/form-data'],
  trustedDocuments: listOf(...LISTED),
};
const STRANGER = 'untrusted_document';

const decide = (request: GraphqlRequest, options: object = {}) => decideRequest({ ...OPTIONS, ...options }, request);
const json = (query: unknown) => JSON.stringify({ query });
const post = (query: string, options: object = {}) => decide({ body: json(query) }, options);

describe('a request with a document text', () => {
  it.each(['?query={b}', '??query={b}', 'a=1?query={b}', '?query={b}&a=?'])(
    'must be listed even if question marks precede its name (attack 6): %s',
    (pairs) => {
      expect(decide({ method: 'GET', target: `/graphql?${pairs}` })).toBe(STRANGER);
      expect(decide({ types: ['application/x-www-form-urlencoded'], body: pairs })).toBe(STRANGER);
      const listed = pairs.replaceAll('{b}', '{a}');
      expect(decide({ method: 'GET', target: `/graphql?${listed}` })).toBe('allow');
    },
  );

  it.each(LISTED)('is allowed if it is listed: %s', (text) => {
    expect(post(text)).toBe('allow');
    expect(decide({ types: ['application/graphql'], body: text })).toBe('allow');
    expect(decide({ method: 'GET', target: `/graphql?query=${encodeURIComponent(text)}` })).toBe('allow');
    const types = ['application/x-www-form-urlencoded'];
    expect(decide({ types, body: `query=${encodeURIComponent(text)}&variables=%7B%7D` })).toBe('allow');
    expect(decide({ types, body: new URLSearchParams({ query: text }).toString() })).toBe('allow');
  });

  it.each(['{b}', '{a} ', ' {a}', '{a}\n', '{ a }', '{a,}', '\ufeff{a}', '{a}#', 'query{a}', '{__typename}', '{a}{a}'])(
    'is blocked if it differs from the listed bytes: %j',
    (text) => {
      expect(post(text)).toBe(STRANGER);
      expect(decide({ types: ['application/graphql'], body: text })).toBe(STRANGER);
      expect(decide({ method: 'GET', target: `/graphql?query=${encodeURIComponent(text)}` })).toBe(STRANGER);
    },
  );

  it('is checked against the limits if the document is listed', () => {
    expect(post('{a{b{c}}} # d;e\n', { maxDepth: 2 })).toBe('depth');
    expect(post('{__schema{types{name}}}', { blockIntrospection: true })).toBe('introspection');
    expect(post('{', { trustedDocuments: listOf('{') })).toBe('parse_error');
  });

  it('is a parse error if the grammar rejects the text, whether it is listed or not', () => {
    expect(post('{a')).toBe('parse_error');
  });

  it('is also checked if the text contains only definitions', () => {
    expect(post('fragment F on T{a}')).toBe(STRANGER);
    expect(post('type T{a:Int}')).toBe(STRANGER);
  });

  it('is reported with the digest of the text', () => {
    const engine = createGraphqlEngine({ ...NO_LIMITS, ...OPTIONS });
    const view = { ...createTestRequest({ headers: [['content-type', 'application/json']] }), method: 'POST' };
    expect(engine.body?.decide(view, Buffer.from(json('{b}')), UNLIMITED)).toEqual({
      kind: 'block',
      reason: 'graphql.untrusted_document',
      severity: 'medium',
      status: 403,
      detail: `the SHA-256 of the text is ${digest('{b}').toString('hex')}`,
    });
  });
});

describe('a request without a document text', () => {
  const hash = digest('{b}').toString('hex');

  it.each([
    ['an id', '{"id":"abc","variables":{}}'],
    [
      'the hash of an automatic persisted query',
      `{"extensions":{"persistedQuery":{"version":1,"sha256Hash":"${hash}"}}}`,
    ],
    ['an empty text beside it', `{"query":"","extensions":{"persistedQuery":{"version":1,"sha256Hash":"${hash}"}}}`],
    ['white space beside it', '{"query":" \\n","id":"abc"}'],
    ['null beside it', '{"query":null,"id":"abc"}'],
    ['a list of ids', '[{"id":"a"},{"id":"b"}]'],
  ])('is left to the server: %s', (_, body) => expect(decide({ body })).toBe('allow'));

  it('is checked if it registers a document, because that contains the text', () => {
    const extensions = { persistedQuery: { version: 1, sha256Hash: hash } };
    expect(decide({ body: JSON.stringify({ query: '{b}', extensions }) })).toBe(STRANGER);
    expect(decide({ body: JSON.stringify({ query: '{a}', extensions }) })).toBe('allow');
  });
});

describe('a request with several texts', () => {
  it('is allowed only if all are listed, at whatever place', () => {
    expect(decide({ body: `[${json('{a}')},${json('{a}')},${json('{b}')}]` })).toBe(STRANGER);
    expect(decide({ body: `[${json('{a}')},${json('{a}')}]` })).toBe('allow');
    expect(decide({ body: '{"query":"{a}","QUERY":"{b}"}' })).toBe(STRANGER);
    expect(decide({ body: '{"query":"{b}","query":"{a}"}' })).toBe(STRANGER);
    expect(decide({ body: '["{b}",null]' })).toBe(STRANGER);
    expect(decide({ target: '/graphql?query={b}', body: json('{a}') })).toBe(STRANGER);
    expect(decide({ target: '/graphql?query={a}', body: json('{b}') })).toBe(STRANGER);
    expect(decide({ method: 'GET', target: '/graphql?query={a}&query={a}' })).toBe(STRANGER);
  });

  it('ignores texts that only look like documents', () => {
    expect(decide({ body: '["a text",null]' })).toBe('allow');
    expect(decide({ body: '{"query":"{a}","variables":{"x":{"y":{"query":"{b}"}}},"operationName":"{b}"}' })).toBe(
      'allow',
    );
  });

  it('needs both readings of an ambiguous body to be listed', () => {
    // Some parsers read `\\v` as a control character, others as the letter.
    const body = '{"query":"{a(b:\\"\\v\\")}"}';
    expect(decide({ body }, { trustedDocuments: listOf('{a(b:"v")}') })).toBe(STRANGER);
    expect(decide({ body }, { trustedDocuments: listOf('{a(b:"\v")}') })).toBe(STRANGER);
    expect(decide({ body }, { trustedDocuments: listOf('{a(b:"v")}', '{a(b:"\v")}') })).toBe('allow');
    // Some parsers end the line at another place.
    const url = '/graphql?query={a}%20%23;x';
    expect(decide({ method: 'GET', target: url }, { trustedDocuments: listOf('{a} #;x') })).toBe(STRANGER);
    expect(decide({ method: 'GET', target: url }, { trustedDocuments: listOf('{a} #;x', '{a} #') })).toBe('allow');
  });
});

describe('the bytes of a document', () => {
  it('count as UTF-8, however the body spells the text', () => {
    const text = '{a(b:"é😀\\u00e9")}';
    for (const encoding of ['utf16le', 'utf8'] as const) {
      expect(decide({ body: Buffer.from(json(text), encoding) })).toBe('allow');
      expect(decide({ body: Buffer.from(json(`${text} `), encoding) })).toBe(STRANGER);
    }
    expect(decide({ body: '{"query":"\\u007ba(b:\\"\\u00e9\\ud83d\\ude00\\\\u00e9\\")}"}' })).toBe('allow');
    const types = ['application/graphql; charset=utf-16le'];
    expect(decide({ types, body: Buffer.from('{a}', 'utf16le') })).toBe('allow');
    expect(decide({ types, body: Buffer.from('\ufeff{a}', 'utf16le') })).toBe(STRANGER);
    expect(
      decide({ types, body: Buffer.from('\ufeff{a}', 'utf16le') }, { trustedDocuments: listOf('\ufeff{a}') }),
    ).toBe('allow');
  });

  it('match no listed text if they are not UTF-8', () => {
    const quoted = (bytes: number[]) => Buffer.concat([Buffer.from('{a(b:"'), Buffer.from(bytes), Buffer.from('")}')]);
    const trustedDocuments = listOf('{a(b:"\ufffd")}', '{a(b:"/")}');
    for (const bytes of [[0xff], [0xc0, 0xaf], [0xe9], [0xed, 0xa0, 0x80]]) {
      const text = quoted(bytes);
      expect(decide({ types: ['application/graphql'], body: text }, { trustedDocuments })).toBe(STRANGER);
      const body = Buffer.concat([Buffer.from('{"query":"{a(b:\\"'), Buffer.from(bytes), Buffer.from('\\")}"}')]);
      expect(decide({ body }, { trustedDocuments })).toBe(STRANGER);
    }
  });

  it('with half a character are a parse error', () => {
    expect(decide({ body: '{"query":"{a(b:\\"\\ud800\\")}"}' })).toBe('parse_error');
  });
});

describe('the parts of a multipart body', () => {
  const multipart = (...parts: readonly (readonly [name: string, content: string])[]): GraphqlRequest => ({
    types: ['multipart/form-data; boundary=x'],
    body: `${parts
      .map(([name, content]) => `--x\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${content}\r\n`)
      .join('')}--x--\r\n`,
  });

  it('must contain listed documents only', () => {
    const map = ['map', '{"0":["variables.file"]}'] as const;
    expect(decide(multipart(['operations', json('{a}')], map, ['0', 'a file']))).toBe('allow');
    expect(decide(multipart(['operations', json('{b}')], map, ['0', 'a file']))).toBe(STRANGER);
    expect(decide(multipart(['query', '{a}']))).toBe('allow');
    for (const empty of ['{}', ' {\r\n} ']) {
      expect(decide(multipart(['operations', json('{a}')], ['map', empty]))).toBe('allow');
      expect(decide(multipart(['query', '{a}'], ['variables', empty], ['extensions', empty]))).toBe('allow');
      expect(decide(multipart(['query', empty]))).toBe(STRANGER);
      expect(post(empty)).toBe(STRANGER);
    }
    expect(decide(multipart(['query', '{a}\n']))).toBe(STRANGER);
    for (const lineEnd of ['\n', '\r\n']) {
      expect(decide(multipart(['operations', json(`{a}${lineEnd}`)], map, ['0', 'a file']))).toBe(STRANGER);
    }
    expect(decide(multipart(['query', '{b}']))).toBe(STRANGER);
    expect(decide(multipart(['operations', json('{a}')], map, ['0', '{b}']))).toBe(STRANGER);
  });
});

describe('the list of documents', () => {
  it('finds each of many documents, and nothing else', () => {
    const texts = Array.from({ length: 5000 }, (_, n) => `{a${n}}`);
    const list = new TrustedDocuments(listOf(...texts));
    const has = (text: string) => list.has(Buffer.from(`${text}more`), text.length);
    for (let time = 0; time < 2; time++) for (const text of texts) expect(has(text)).toBe(true);
    for (let n = 5000; n < 10_000; n++) expect(has(`{a${n}}`)).toBe(false);
    for (const text of texts.slice(0, 100))
      expect([has(`${text} `), has(text.slice(0, -1)), has('')]).not.toContain(true);
  });

  it('is shared by all blocks with the same documents, wherever they were read from', () => {
    const list = listOf('{a}', '{b}');
    const again = new DocumentList(list.sha256, Buffer.from(list.digests));
    const [one, same, other] = [list, again, listOf('{a}')].map(shareTrustedDocuments);
    expect(one).toBeInstanceOf(TrustedDocuments);
    expect(same).toBe(one);
    expect(other).not.toBe(one);
  });

  it('finds long texts, too', () => {
    const texts = [512, 513, 5000].map((length) => '{a}'.padEnd(length));
    const list = new TrustedDocuments(listOf(...texts));
    for (const text of [...texts, ...texts]) {
      expect(list.has(Buffer.from(text), text.length)).toBe(true);
      expect(list.has(Buffer.from(text.replace('a', 'b')), text.length)).toBe(false);
    }
  });

  it('finds exactly its digests, wherever it is in shared memory', () => {
    // Few heads, so that many digests begin alike.
    const head = fc.constantFrom('00000000', '00000001', '7fffffff', '80000000', 'ffffffff');
    const tail = fc.uint8Array({ minLength: 28, maxLength: 28 });
    const any = fc.tuple(head, tail).map(([first, rest]) => Buffer.concat([Buffer.from(first, 'hex'), rest]));
    const listed = fc.uniqueArray(any, { maxLength: 50, selector: (one) => one.toString('hex') });
    fc.assert(
      fc.property(listed, fc.array(any, { maxLength: 20 }), fc.nat(7), (digests, others, offset) => {
        const { sha256, digests: bytes } = toList(digests);
        const shared = new Uint8Array(new SharedArrayBuffer(bytes.length + 2 * offset), offset, bytes.length);
        shared.set(bytes);
        const list = new TrustedDocuments(new DocumentList(sha256, shared));
        const set = new Set(digests.map((one) => one.toString('hex')));
        for (const one of [...digests, ...others]) expect(list.lists(one)).toBe(set.has(one.toString('hex')));
      }),
    );
  });

  it('distinguishes digests with equal beginnings, including the first and the last', () => {
    const digests = ['00000000', '00000000', 'ffffffff', 'ffffffff'].map((head, n) =>
      Buffer.from(head + String(n).repeat(56), 'hex'),
    );
    const list = new TrustedDocuments(toList(digests));
    for (const each of digests) expect(list.lists(each)).toBe(true);
    for (const head of ['00000000', 'ffffffff', '80000000']) {
      expect(list.lists(Buffer.from(head + '7'.repeat(56), 'hex'))).toBe(false);
    }
  });
});
