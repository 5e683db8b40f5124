import { isIP } from 'node:net';
import type { Change, CommandResultRecord, PublishResult, ServiceRecord } from '@flotilla/contract';
import type { applyWithin } from '../../configuration/public.ts';
import { isName, type PublishRequest } from './request.ts';
import type { PublishClient } from './store.ts';
import { describeAccess } from './try-it.ts';

interface Written {
  readonly request: PublishRequest;
  readonly plan: { readonly listener: PublishResult['listener']; readonly warnings: readonly string[] };
  readonly applied: Awaited<ReturnType<typeof applyWithin>>;
  readonly before: ServiceRecord | undefined;
  readonly record: ServiceRecord;
  readonly diff: Change[];
  readonly clients: ReadonlyMap<string, PublishClient>;
  readonly results: readonly CommandResultRecord[];
  readonly uncovered: readonly string[];
  readonly dryRun: boolean;
}

export function toResult(written: Written): PublishResult {
  const { request, plan, applied, before, record, diff, dryRun } = written;
  const clients = request.clients.map(({ client_id }) => toClient(written, client_id));
  const documents = applied.results as PublishResult['documents'];
  const isSame = documents.every(({ outcome }) => outcome === 'unchanged') && diff.length === 0;
  const outcome =
    isSame && written.results.length === 0
      ? 'unchanged'
      : documents.some((one) => one.outcome === 'created')
        ? 'created'
        : 'changed';
  const [first] = clients;
  return {
    outcome,
    version: record.version,
    documents,
    service: {
      id: dryRun && !before ? null : record.id,
      name: record.name,
      outcome: before ? (diff.length > 0 ? 'changed' : 'unchanged') : 'created',
      revision: record.revision,
      diff,
    },
    listener: plan.listener,
    clients,
    ...applied.reach,
    warnings: [...plan.warnings, ...warn(written)],
    url: first?.url ?? '',
    curl: first?.curl ?? '',
  };
}

function toClient({ request, plan, record, clients, results, dryRun }: Written, clientId: string) {
  const client = clients.get(clientId);
  const addresses = record.clients.find(({ client_id }) => client_id === clientId)?.addresses ?? [];
  const result = results.find(({ client_id }) => client_id === clientId);
  const [host] = request.hosts;
  const { path } = request;
  return {
    client_id: clientId,
    client_name: client?.name ?? clientId,
    connected: client?.connected ?? false,
    deploys: result !== undefined,
    command_id: dryRun ? null : (result?.command_id ?? null),
    outcome: dryRun ? null : (result?.outcome ?? null),
    ...describeAccess({ host, path, listener: plan.listener, addresses, hostname: client?.hostname ?? '' }),
  };
}

/** Effects that the caller may not expect. */
function warn({ request, before, clients, uncovered }: Written): string[] {
  const { upstreams, upstream_tls: tls, policy } = request;
  const warnings: string[] = [];
  const offline = [...clients.values()].filter(({ connected }) => !connected).map(({ name }) => name);
  if (offline.length > 0)
    warnings.push(`Not connected: ${offline.join(', ')}. A client gets this when it is connected again.`);
  const loopback = upstreams.filter(isLoopback);
  if (loopback.length > 0 && clients.size > 1)
    warnings.push('An upstream on loopback is another program on each client.');
  if (tls && tls.authorities === undefined) warnings.push('The certificates of the upstreams are not verified.');
  if (policy !== undefined && before && !before.policies.includes(policy))
    warnings.push(`Policy ${policy} then applies to every listener of service ${before.name}.`);
  if (uncovered.length > 0)
    warnings.push(`Policy ${policy} has no domain for ${uncovered.join(', ')}, so it allows every request for it.`);
  return warnings;
}

function isLoopback(upstream: PublishRequest['upstreams'][number]): boolean {
  const { address } = upstream;
  if (isName(upstream)) return address === 'localhost';
  return isIP(address) === 6 ? address === '::1' : address.startsWith('127.');
}
