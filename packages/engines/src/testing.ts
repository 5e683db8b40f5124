import { canonicalHost, readHosts, readPath, splitTarget } from '@flotilla/policy';
import type { RequestView } from './engine.ts';

export interface TestRequest {
  /** Default: GET. */
  readonly method?: string;
  readonly target?: string;
  readonly host?: string;
  readonly headers?: readonly (readonly [string, string])[];
  readonly sourceIp?: string;
}

/** A request view for tests of engines. */
export function createTestRequest(request: TestRequest = {}): RequestView {
  const { path, query } = splitTarget(request.target ?? '/');
  return {
    method: request.method ?? 'GET',
    host: canonicalHost(request.host ?? 'api.example.com'),
    hosts: readHosts(request.host ?? 'api.example.com'),
    rawPath: path,
    query,
    paths: readPath(path, query),
    sourceIp: request.sourceIp ?? '',
    findNames: (alike) => (request.headers ?? []).map(([key]) => key.toLowerCase()).filter((key) => alike.has(key)),
    header: (name) => (request.headers ?? []).filter(([key]) => key.toLowerCase() === name).map(([, value]) => value),
  };
}
