import { FakeClock } from '@flotilla/kit';
import { digestApiKey } from '@flotilla/policy';
import { type Budget, UNLIMITED } from '../budget.ts';
import type { Verdict } from '../engine.ts';
import { createTestRequest, type TestRequest } from '../testing.ts';
import { createApiKeyEngine } from './api-key-engine.ts';

const OPEN = { scopes: [], notBeforeMs: null, expiresAtMs: null, limit: null };

export const FORM = 'application/x-www-form-urlencoded';
export const PARTS = 'multipart/form-data; boundary=b';
export const JSON_TYPE = 'application/json';
export const METHOD = 'apikey.method';

export interface SentFields extends TestRequest {
  readonly type?: string | undefined;
  readonly body: string | Buffer;
  readonly budget?: Budget;
}

/**
 * The engine's verdict on a POST with a key for these methods. In `body`, a character is a byte. Returns `unseen` if
 * the engine does not ask for the body.
 */
export function decideFields(
  methods: readonly string[],
  { type, body, budget = UNLIMITED, ...rest }: SentFields,
): Verdict | 'unseen' {
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

export function askFields(sent: SentFields, methods: readonly string[] = ['GET', 'POST']): string {
  const verdict = decideFields(methods, sent);
  return verdict === 'unseen' ? verdict : verdict.kind === 'allow' ? 'allow' : verdict.reason;
}

/** A part after the delimiter `--b`. */
export const partOf = (headers: string, content = 'DELETE') => `--b\r\n${headers}\r\n\r\n${content}\r\n`;

/** `name` is inserted verbatim, including quotes. */
export const partNamed = (name: string, content?: string) =>
  partOf(`Content-Disposition: form-data; name=${name}`, content);
