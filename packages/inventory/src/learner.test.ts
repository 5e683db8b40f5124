import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Answer } from './answer.ts';
import { Learner } from './learner.ts';
import { normalizePath } from './path.ts';

const HOST = 'api.example.com';

function observe(learner: Learner, line: string, answer: Answer = 'answered'): void {
  const [method = '', path = ''] = line.split(' ');
  learner.observe({ method: method as 'GET', host: HOST, segments: normalizePath(path).segments, answer });
}

function learn(lines: readonly string[], learner = new Learner()): Learner {
  for (const line of lines) observe(learner, line);
  learner.settle();
  return learner;
}

function templatesOf(learner: Learner): string[] {
  return learner
    .templates(HOST)
    .map(({ method, path }) => `${method} ${path}`)
    .sort();
}

const times = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));
/** Letters alone, so that no detector knows them. */
const spell = (at: number): string => `q${Array.from(String(at), (digit) => 'abcdefghij'[Number(digit)]).join('')}`;
const NAMES = [
  'ada',
  'grace',
  'linus',
  'margaret',
  'dennis',
  'barbara',
  'edsger',
  'alan',
  'radia',
  'donald',
  'katherine',
  'tim',
  'vint',
  'hedy',
  'ken',
];

describe('the learner', () => {
  it('names values of known shapes from the first request', () => {
    const learner = learn([
      'GET /users/42',
      'GET /users/43/orders/2f1a6c1e-8a3b-4c5d-9e0f-112233445566',
      'GET /v1/health',
    ]);
    expect(templatesOf(learner)).toEqual(['GET /users/{id}', 'GET /users/{id}/orders/{uuid}', 'GET /v1/health']);
  });

  it('keeps one unknown word among known ones as a name', () => {
    const learner = learn([
      ...times(60, () => 'GET /api/hello'),
      ...times(40, (at) => `GET /api/orders/${at}`),
      'GET /api/zzinspected',
    ]);
    expect(templatesOf(learner)).toContain('GET /api/zzinspected');
  });

  it('merges names that have the same segments below them, and keeps what is different', () => {
    const lines = times(300, (at) => `GET /users/${NAMES[(at * 7) % NAMES.length]}/${['repos', 'followers'][at % 2]}`);
    const learner = learn([...lines, ...times(100, () => 'GET /users/search'), ...times(100, () => 'POST /users')]);
    expect(templatesOf(learner)).toEqual([
      'GET /users/search',
      'GET /users/{dynamic}/followers',
      'GET /users/{dynamic}/repos',
      'POST /users',
    ]);
  });

  it('separates again what was merged by a few requests, once more of them show that the words are resources', () => {
    const words = ['orders', 'invoices', 'customers', 'products', 'carts'];
    const learner = learn(times(40, (at) => `GET /api/${NAMES[at % NAMES.length]}/profile`));
    expect(templatesOf(learner)).toEqual(['GET /api/{dynamic}/profile']);
    learn(
      words.flatMap((word) => times(200, () => `POST /api/${word}`)),
      learner,
    );
    expect(templatesOf(learner)).toEqual(
      [...words.map((word) => `POST /api/${word}`), 'GET /api/{dynamic}/profile'].sort(),
    );
  });

  it('takes a date that never changes for literal, until a second one is seen', () => {
    const learner = learn(times(40, (at) => `GET /2010-04-01/Accounts/${at}`));
    expect(templatesOf(learner)).toEqual(['GET /2010-04-01/Accounts/{id}']);
    learn(['GET /2011-05-02/Accounts/7'], learner);
    expect(templatesOf(learner)).toEqual(['GET /{dynamic}/Accounts/{id}']);
  });

  it('takes the name of an application before everything else for literal, until a second one is seen', () => {
    const lines = times(40, (at) => `GET /ShpBoxAPIv3/items/${at}`);
    expect(templatesOf(learn(lines))).toEqual(['GET /ShpBoxAPIv3/items/{id}']);
    expect(templatesOf(learn([...lines, 'GET /Xk29fQz81Lw/items/1']))).toEqual(['GET /{dynamic}/items/{id}']);
  });

  it('keeps resources apart from hundreds of names beside them that came first', () => {
    const learner = learn([
      ...times(3, () => 'GET /teams/42'),
      ...times(600, (at) => `GET /${spell(at)}`),
      ...times(300, (at) => `GET /teams/${at}`),
      ...times(300, (at) => `POST /teams/${at}/keys`),
    ]);
    expect(templatesOf(learner)).toEqual(['GET /teams/{id}', 'GET /{dynamic}', 'POST /teams/{id}/keys']);
  });

  it('keeps 80 procedures apart', () => {
    const verbs = ['get', 'list', 'create', 'update', 'delete', 'send', 'archive', 'invite'];
    const nouns = [
      'Channel',
      'Message',
      'User',
      'File',
      'Team',
      'Reminder',
      'Reaction',
      'Bookmark',
      'Workflow',
      'Call',
    ];
    const procedures = verbs.flatMap((verb) => nouns.map((noun) => `POST /api/${verb}${noun}`));
    expect(templatesOf(learn(procedures.flatMap((line) => times(20, () => line))))).toEqual(procedures.sort());
  });

  it('does not depend on the order of requests', () => {
    const lines = [
      ...times(60, (at) => `GET /users/${NAMES[at % NAMES.length]}`),
      ...times(20, () => 'GET /users/search'),
      ...times(20, (at) => `PUT /files/${at}.json`),
    ];
    const expected = templatesOf(learn(lines));
    fc.assert(
      fc.property(fc.shuffledSubarray(lines, { minLength: lines.length }), (shuffled) => {
        expect(templatesOf(learn(shuffled))).toEqual(expected);
      }),
      { numRuns: 30 },
    );
  });

  it('gives each of its templates as the name of some request', () => {
    const learner = learn([
      ...times(50, (at) => `GET /users/${NAMES[at % NAMES.length]}`),
      'GET /files/a.json',
      'GET /files/b.pdf',
      "GET /range(from='a',to='b')",
    ]);
    expect(learner.find({ method: 'GET', host: HOST, segments: ['users', 'somebody-else'] })).toMatchObject({
      path: '/users/{dynamic}',
      source: 'learned',
    });
    expect(learner.find({ method: 'GET', host: HOST, segments: ["range(from='x',to='y')"] }).path).toBe(
      "/range(from='{dynamic}',to='{dynamic}')",
    );
    expect(learner.find({ method: 'PUT', host: HOST, segments: ['users', 'ada'] })).toMatchObject({
      path: undefined,
      source: 'other',
    });
  });
});

describe('endings of segments', () => {
  it('are a parameter where the same words and values have several', () => {
    const formats = ['json', 'xml', 'csv', 'yaml'];
    const learner = learn(
      times(400, (at) => `GET /${at % 2 === 0 ? 'report' : `items/${at % 7}`}.${formats[(at >> 1) % 4]}`),
    );
    expect(templatesOf(learner)).toEqual(['GET /items/{id}.{dynamic}', 'GET /report.{dynamic}']);
    expect(learner.find({ method: 'GET', host: HOST, segments: ['items', '3.xml'] }).path).toBe(
      '/items/{id}.{dynamic}',
    );
    expect(learner.find({ method: 'GET', host: HOST, segments: ['report.csv'] }).path).toBe('/report.{dynamic}');
  });

  it('belong to the names of files where each has one', () => {
    const endings = ['pdf', 'json', 'csv', 'png', 'docx'];
    const learner = learn(times(300, (at) => `GET /files/${spell(at)}.${endings[at % 5]}`));
    expect(templatesOf(learner)).toEqual(['GET /files/{dynamic}']);
    expect(learner.find({ method: 'GET', host: HOST, segments: ['files', 'new.json'] }).path).toBe('/files/{dynamic}');
  });

  it('stay text where there is one format', () => {
    expect(templatesOf(learn(times(60, (at) => `GET /items/${at}.json`)))).toEqual(['GET /items/{id}.json']);
  });

  it('are a parameter if they are JSON and XML, and stay text if they may be two documents', () => {
    const ask = (endings: readonly string[]): string[] =>
      templatesOf(learn(times(60, (at) => `GET /api/project.${endings[at % 2]}`)));
    expect(ask(['json', 'xml'])).toEqual(['GET /api/project.{dynamic}']);
    expect(ask(['json', 'yaml'])).toEqual(['GET /api/project.json', 'GET /api/project.yaml']);
  });

  it('are a parameter if they are any words after one base', () => {
    const words = ['active', 'pending', 'draft', 'closed', 'internal'];
    const learner = learn([
      ...times(100, (at) => `GET /v2/openapi.${words[at % 5]}`),
      ...times(50, () => 'GET /v2/health'),
    ]);
    expect(templatesOf(learner)).toEqual(['GET /v2/health', 'GET /v2/openapi.{dynamic}']);
    expect(learner.find({ method: 'GET', host: HOST, segments: ['v2', 'openapi.draft'] }).path).toBe(
      '/v2/openapi.{dynamic}',
    );
  });

  it('stay text if they are functions of a service', () => {
    const paths = ['get_map', 'get_qid', 'get_download'].map((name) => `GET /echo/rest_services.${name}`);
    expect(templatesOf(learn(times(90, (at) => paths[at % 3] ?? '')))).toEqual(paths.toSorted());
  });
});

describe('the limits of the learner', () => {
  const LIMITS = { nodesMax: 2000, probesMax: 100, hostsMax: 3 };
  const REAL = times(400, (at) => `GET /orders/${at}`).concat(times(400, (at) => `POST /users/${at}/keys`));

  it('hold against missing paths, which create no operation', () => {
    const learner = learn(REAL, new Learner(LIMITS));
    const before = templatesOf(learner);
    const nodes = learner.nodes;
    const sources = new Set<string>();
    for (let at = 0; at < 20_000; at++) {
      const segments = [spell(at), `${spell(at + 7)}.php`];
      observe(learner, `GET /${segments.join('/')}`, 'missing');
      sources.add(learner.find({ method: 'GET', host: HOST, segments }).source);
    }
    expect([...sources]).toEqual(['other']);
    learner.settle();
    expect(learner.nodes).toBe(nodes);
    expect(templatesOf(learner)).toEqual(before);
  });

  it('hold against a host that answers everything, and real operations stay', () => {
    const learner = new Learner(LIMITS);
    for (let at = 0; at < 20_000; at++) {
      observe(learner, REAL[at % REAL.length] ?? '');
      observe(learner, `GET /q${(at * 7919).toString(36)}zz/w${at.toString(36)}yy/${'deep/'.repeat(at % 12)}`);
    }
    learner.settle();
    expect(learner.nodes).toBeLessThanOrEqual(LIMITS.nodesMax + 64);
    expect(templatesOf(learner)).toEqual(expect.arrayContaining(['GET /orders/{id}', 'POST /users/{id}/keys']));
  });

  it('put further hosts into one bucket', () => {
    const learner = new Learner(LIMITS);
    for (let at = 0; at < 1000; at++)
      learner.observe({ method: 'GET', host: `h${at}.example.com`, segments: ['a'], answer: 'answered' });
    learner.settle();
    expect(learner.find({ method: 'GET', host: 'h2.example.com', segments: ['a'] })).toMatchObject({
      host: 'h2.example.com',
      path: '/a',
    });
    expect(learner.find({ method: 'GET', host: 'h999.example.com', segments: ['a'] })).toEqual({
      host: '{other}',
      path: undefined,
      source: 'other',
    });
  });

  it('name only as many missing paths as they allow, until they are forgotten', () => {
    const learner = new Learner(LIMITS);
    const isNamed = (path: string): boolean => {
      for (let time = 0; time < 6; time++) observe(learner, `GET ${path}`, 'missing');
      return learner.find({ method: 'GET', host: HOST, segments: [path.slice(1)] }).source === 'probe';
    };
    expect(times(500, (at) => isNamed(`/p${at}.php`)).filter(Boolean)).toHaveLength(LIMITS.probesMax);
    learner.forgetProbes();
    expect(isNamed('/new.php')).toBe(true);
  });

  it('name the most frequent missing path', () => {
    const learner = new Learner(LIMITS);
    for (let at = 0; at < 5000; at++) {
      observe(learner, `GET /random${at}`, 'missing');
      if (at % 10 === 0) observe(learner, 'GET /.env', 'missing');
    }
    expect(learner.find({ method: 'GET', host: HOST, segments: ['.env'] })).toMatchObject({
      path: '/.env',
      source: 'probe',
    });
  });
});

describe('the state of the learner', () => {
  it('gives the same templates after it was stored and restored', () => {
    const learner = learn([
      ...times(90, (at) => `GET /users/${NAMES[at % NAMES.length]}`),
      'GET /__proto__/constructor',
      'GET /a/eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln',
    ]);
    const restored = Learner.restore(JSON.parse(JSON.stringify(learner.snapshot())));
    if (typeof restored === 'string') throw new Error(restored);
    expect(templatesOf(restored)).toEqual(templatesOf(learner));
    expect(restored.snapshot()).toEqual(learner.snapshot());
  });

  it('contains no secrets, tokens, uuids or addresses of people', () => {
    const learner = learn(
      [
        '/k/AKIAIOSFODNN7EXAMPLE',
        '/k/ada@example.com',
        '/k/2f1a6c1e-8a3b-4c5d-9e0f-112233445566',
        '/k/eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln',
      ].map((path) => `GET ${path}`),
    );
    expect(JSON.stringify(learner.snapshot())).not.toMatch(/AKIA|ada|2f1a|eyJ/);
  });

  it.each([
    undefined,
    {},
    { version: 2, hosts: {} },
    { version: 1, hosts: { a: { total: -1 } } },
    { version: 1, hosts: { a: { total: 1, words: { b: 'x' } } } },
    { version: 1, hosts: { a: { total: 1, values: { '{}': { total: 1 } } } } },
  ])('is refused if it is damaged: %j', (state) => {
    expect(Learner.restore(state)).toContain('The state of the learner');
  });
});

describe('learners that adopt each other', () => {
  const lines = ['GET /shops/north/carts', 'GET /shops/south/carts', 'GET /health'];

  it('name what only the other one has seen', () => {
    const [one, other] = [learn(['GET /about']), learn(lines)];
    const sourceOf = () => one.find({ method: 'GET', host: HOST, segments: ['shops', 'north', 'carts'] }).source;
    expect(sourceOf()).toBe('other');
    one.adopt([other.snapshot()]);
    expect(sourceOf()).toBe('learned');
    expect(one.find({ method: 'GET', host: HOST, segments: ['about'] }).source).toBe('learned');
  });

  it('decide as one that has seen everything', () => {
    const orders = NAMES.map((name) => `GET /users/${name}/orders`);
    const [odd, even] = [orders.filter((_, at) => at % 2 === 1), orders.filter((_, at) => at % 2 === 0)];
    const [one, other] = [learn([...odd, ...lines]), learn(even)];
    one.adopt([other.snapshot()]);
    other.adopt([one.snapshot()]);
    const all = templatesOf(learn([...orders, ...lines]));
    expect(templatesOf(one)).toEqual(all);
    expect(templatesOf(other)).toEqual(all);
  });

  it('count nothing twice, however often they adopt each other', () => {
    const [one, other] = [learn(lines), learn(['GET /shops/east/carts'])];
    const before = [one.snapshot(), other.snapshot()];
    for (let round = 0; round < 5; round += 1) {
      one.adopt([other.snapshot()]);
      other.adopt([one.snapshot()]);
    }
    expect([one.snapshot(), other.snapshot()]).toEqual(before);
    one.adopt([]);
    expect(templatesOf(one)).toEqual(templatesOf(learn(lines)));
  });

  it('have another fingerprint only if templates with placeholders have changed', () => {
    const learner = learn(['GET /orders/1', 'GET /health']);
    const before = learner.shapes();
    learn(['GET /about'], learner);
    expect(learner.shapes()).toBe(before);
    learn(['GET /carts/7'], learner);
    expect(learner.shapes()).not.toBe(before);
  });
});
