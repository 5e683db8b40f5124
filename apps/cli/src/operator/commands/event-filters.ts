import type { CallInput, shieldEventRoutes } from '@flotilla/contract';
import type { Command } from 'commander';
import { requireClientId, requireServiceId, type Scope } from '../records.ts';
import { collect } from './option-values.ts';
import { type CommonOptions, withJson, withProject } from './scope-options.ts';
import { parsePast } from './time-argument.ts';

/** Options that select findings of the filters. */
export interface EventFilters extends CommonOptions {
  readonly verdict?: string[];
  readonly engine?: string[];
  readonly reason?: string[];
  readonly severity?: string[];
  readonly policy?: string[];
  readonly service?: string;
  readonly client?: string;
  readonly method?: string[];
  readonly host?: string;
  readonly path?: string;
  readonly subject?: string;
  readonly source?: string;
  readonly requestId?: string;
  readonly since?: string;
  readonly until?: string;
  readonly query?: string;
}

export type EventQuery = NonNullable<CallInput<typeof shieldEventRoutes.list>['query']>;

export function withEventFilters(command: Command): Command {
  return withJson(withProject(command))
    .option('--verdict <verdict>', 'blocked, detected or error; may be repeated', collect)
    .option('--engine <name>', 'may be repeated', collect)
    .option('--reason <code>', 'such as apikey.missing; may be repeated', collect)
    .option('--severity <severity>', 'may be repeated', collect)
    .option('--policy <name>', 'may be repeated', collect)
    .option('--service <name>', 'by name or id')
    .option('--client <name>', 'by name or id')
    .option('--method <method>', 'may be repeated', collect)
    .option('--host <host>')
    .option('--path <prefix>', 'start of the path')
    .option('--subject <name>', 'the authenticated identity')
    .option('--source <address>', 'an address or a network, such as 203.0.113.0/24')
    .option('--request-id <id>')
    .option('--since <time>', 'such as 15m, 2h, 3d, or a time')
    .option('--until <time>')
    .option('-q, --query <text>', 'part of host, path, subject, reason, policy, detail or request id');
}

export async function toEventQuery(scope: Scope, options: EventFilters): Promise<EventQuery> {
  const now = Date.now();
  const query = {
    project: scope.project,
    verdict: options.verdict,
    engine: options.engine,
    reason: options.reason,
    severity: options.severity,
    policy: options.policy,
    method: options.method,
    host: options.host,
    path_prefix: options.path,
    subject: options.subject,
    source_ip: options.source,
    request_id: options.requestId,
    q: options.query,
    ...(options.service && { service_id: [await requireServiceId(scope, options.service)] }),
    ...(options.client && { client_id: [await requireClientId(scope, options.client)] }),
    ...(options.since && { from: parsePast(options.since, now) }),
    ...(options.until && { to: parsePast(options.until, now) }),
  };
  // The API validates the values.
  return query as EventQuery;
}
