import { parseTrialRequest, type TrialRequest } from '@flotilla/decision';
import { err, type Result } from '@flotilla/kit';

const FIELDS: readonly string[] = ['method', 'url', 'host', 'header', 'body', 'source_ip', 'peer', 'trusted_hops'];

/**
 * Parses the query of `/explain`: `method`, `url`, `host`, `header` (`name: value`, repeatable), `body`, `source_ip`,
 * `peer`, `trusted_hops`.
 */
export function parseTrialQuery(query: URLSearchParams): Result<TrialRequest, string> {
  for (const name of query.keys()) {
    if (!FIELDS.includes(name)) return err(`${JSON.stringify(name.slice(0, 64))} is not a parameter of /explain`);
  }
  const request: Record<string, unknown> = {};
  for (const name of ['method', 'url', 'host', 'body', 'source_ip', 'peer']) {
    const value = query.get(name);
    if (value !== null) request[name] = value;
  }
  const hops = query.get('trusted_hops');
  if (hops !== null) request.trusted_hops = /^\d{1,3}$/.test(hops) ? Number(hops) : hops;
  const headers = query.getAll('header').map(parseHeaderLine);
  if (headers.includes(undefined)) return err('header must be "name: value"');
  return parseTrialRequest({ ...request, headers });
}

/** Parses `name: value` as in a request. The name may begin with a colon (`:authority`). */
export function parseHeaderLine(line: string): [name: string, value: string] | undefined {
  const colon = line.indexOf(':', 1);
  return colon === -1 ? undefined : [line.slice(0, colon).trim(), line.slice(colon + 1).trim()];
}
