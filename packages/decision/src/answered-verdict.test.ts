import { loadPolicyFiles } from '@flotilla/policy';
import { describe, expect, it } from 'vitest';
import { explainRequest } from './explain/explain-request.ts';

const KEYS = [
  { key: 'good', subject: 'till', scopes: [] },
  { key: 'old', expires_at: '2001-01-01T00:00:00Z' },
];
const API_KEY = { keys: KEYS, require_scope_for_path: [{ path_prefix: '/admin', scope: 'admin' }] };

function ask(url: string, key?: string, defaults: object = {}) {
  const block_response = { unauthorized_status: 401, format: 'problem_json', realm: 'shop' };
  const spec = {
    defaults: { block_response, ...defaults },
    domains: [{ hosts: ['api.example.com'], policy: { engines: { api_key: API_KEY } } }],
  };
  const document = { apiVersion: 'flotilla.dev/v1', kind: 'SecurityPolicy', metadata: { name: 'p' }, spec };
  const loaded = loadPolicyFiles([{ path: 'p.json', content: JSON.stringify(document) }]);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.error));
  const headers: [string, string][] = [
    ['x-request-id', 'r-1'],
    ...(key === undefined ? [] : [['x-api-key', key] as [string, string]]),
  ];
  return explainRequest(loaded.value, { method: 'GET', url: `https://api.example.com${url}`, headers });
}

describe('a policy that answers 401', () => {
  it('returns it for a key that is missing, unknown or expired, and does not reveal whether a key exists', () => {
    expect(ask('/').answer).toMatchObject({ status: 401 });
    const [unknown, expired] = [ask('/', 'wrong'), ask('/', 'old')];
    expect(unknown.decisive?.reason).toBe('apikey.unknown');
    expect(expired.decisive?.reason).toBe('apikey.expired');
    expect(unknown.answer).toEqual(expired.answer);
    expect(unknown.answer?.headers).toContainEqual(['www-authenticate', 'ApiKey realm="shop"']);
    expect(JSON.parse(unknown.answer?.body ?? '')).toMatchObject({ status: 401, request_id: 'r-1' });
  });

  it('answers 403 if the key is valid but does not permit the request', () => {
    expect(ask('/admin', 'good').answer).toMatchObject({ status: 403 });
    expect(ask('/', 'good').answer).toBeNull();
  });

  it('reports in its findings the status that the client gets, or would get', () => {
    expect(ask('/').decisive).toMatchObject({ reason: 'apikey.missing', status: 401 });
    expect(ask('/', undefined, { block_response: {} }).decisive).toMatchObject({ status: 403 });
  });
});
