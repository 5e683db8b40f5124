import { createHash } from 'node:crypto';
import { isFullTier } from '@flotilla/kit/testing';
import { DocumentList } from '@flotilla/policy';
import { type SentRequest, startUpstreams, type Upstream } from '@flotilla/upstreams';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { decideFields } from '../api-key/testing.ts';
import { decideRequest, measureByReference } from '../graphql/testing.ts';
import { anyDocument, LISTED, toQuery } from './pairs-arbitrary.ts';
import { anyRequest } from './request-arbitrary.ts';

/** Requests are the same in every run; set the variables for more and different ones. */
const RUNS = Number(process.env.FLOTILLA_DIFFERENTIAL_RUNS ?? (isFullTier ? 1_500 : 300));
const SEED = Number(process.env.FLOTILLA_DIFFERENTIAL_SEED ?? 17);
const START_TIMEOUT_MS = 180_000;

const FORM = 'application/x-www-form-urlencoded';
const TYPES = { contentTypes: ['application/json', FORM, 'multipart/form-data'] };

const sha256 = (text: string | Buffer) => createHash('sha256').update(text).digest();
const digests = Buffer.concat(LISTED.map(sha256).toSorted(Buffer.compare));
const LISTED_ALONE = { ...TYPES, trustedDocuments: new DocumentList(sha256(digests).toString('hex'), digests) };
const SHALLOW_ALONE = { ...TYPES, maxDepth: 2 };
/** Values that frameworks accept as a method. */
const OTHER_METHOD = /^\s*(?:GET|HEAD|PUT|PATCH|DELETE|OPTIONS|TRACE|CONNECT|LINK|UNLINK)\s*$/i;

/** The line end between a part and the next delimiter belongs to neither, or to the part (Rack, if it is a line feed). */
function isListed({ type }: SentRequest, document: Buffer): boolean {
  const text = document.toString('latin1');
  return LISTED.includes(type?.startsWith('multipart/') === true ? text.replace(/\r?\n$/, '') : text);
}

/** Describes what a program reads from a request that the filter allows although the policy forbids it. */
function findBypass(request: SentRequest, name: string, documents: readonly Buffer[], methods: readonly string[]) {
  const { method, target, type, body } = request;
  const sent = { method, target, types: type === undefined ? [] : [type], body };
  const isLetThrough = (options: object) => ['allow', 'unseen'].includes(decideRequest(options, sent));
  for (const document of documents) {
    const counts = measureByReference(document);
    if (counts === undefined || counts.length === 0) continue;
    const shown = JSON.stringify(document.toString('latin1'));
    if (counts.some((count) => count === 'cycle' || count.depth > 2) && isLetThrough(SHALLOW_ALONE))
      return `${name} executes ${shown}, which is deep`;
    if (!isListed(request, document) && isLetThrough(LISTED_ALONE))
      return `${name} executes ${shown}, which is not listed`;
  }
  for (const other of methods) {
    if (method !== 'POST' || !OTHER_METHOD.test(other)) continue;
    const verdict = decideFields(['POST'], { target, type, body });
    if (verdict === 'unseen' || verdict.kind === 'allow') return `${name} takes a POST for ${JSON.stringify(other)}`;
  }
  return undefined;
}

function show({ method, target, type, body }: SentRequest): string {
  return `${method} ${target}\ncontent-type: ${type}\n\n${JSON.stringify(body.toString('latin1'))}`;
}

describe('the contents that other programs read from URLs and forms', () => {
  let upstreams: readonly Upstream[] = [];

  beforeAll(async () => {
    // Hono logs each invalid document.
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    upstreams = await startUpstreams();
  }, START_TIMEOUT_MS);

  afterAll(async () => {
    await Promise.all(upstreams.map((upstream) => upstream.close()));
    vi.restoreAllMocks();
  });

  it(
    'are all inspected by the filter, whatever the request (attacks 6 and 7)',
    async () => {
      const seen = new Map<string, number>();
      await fc.assert(
        fc.asyncProperty(anyRequest, async (request) => {
          const readings = await Promise.all(upstreams.map((upstream) => upstream.read(request)));
          for (const [at, { documents, methods }] of readings.entries()) {
            const name = upstreams[at]?.name ?? '';
            const count = documents.length + methods.filter((method) => OTHER_METHOD.test(method)).length;
            seen.set(name, (seen.get(name) ?? 0) + count);
            const bypass = findBypass(request, name, documents, methods);
            if (bypass !== undefined) throw new Error(`${bypass}:\n${show(request)}`);
          }
        }),
        { numRuns: RUNS, seed: SEED },
      );
      // A program that reads nothing proves nothing.
      expect(upstreams.filter(({ name }) => (seen.get(name) ?? 0) < RUNS / 30)).toEqual([]);
    },
    START_TIMEOUT_MS + RUNS * 100,
  );
});

const anyText = fc.string({ unit: 'grapheme', maxLength: 20 });

/** For gqlgen, a comment at the end of a form does not end. */
const WITHOUT_COMMENTS = LISTED.filter((text) => !text.includes('#'));

it('in requests of ordinary clients pass: escaping hides nothing and adds nothing', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...WITHOUT_COMMENTS),
      fc.array(fc.tuple(fc.constantFrom('a', 'variables', 'operationName', 'return_to'), anyText), { maxLength: 4 }),
      fc.oneof(anyText, anyDocument),
      (query, others, note) => {
        const pairs = new URLSearchParams([...others, ['query', query], ['note', note]]).toString();
        const url = { method: 'GET', target: `/graphql?${toQuery(pairs)}` };
        const form = { types: [FORM], body: pairs };
        for (const request of [url, form])
          for (const options of [SHALLOW_ALONE, LISTED_ALONE]) expect(decideRequest(options, request)).toBe('allow');
        const verdict = decideFields(['POST'], { target: url.target, type: FORM, body: pairs });
        expect(verdict).toMatchObject({ kind: 'allow' });
      },
    ),
    { numRuns: 2_000, seed: SEED },
  );
});
