import type { RestorePlan } from '@flotilla/contract';
import type { Tx } from '@flotilla/db';
import * as z from 'zod';
import type { Manifest } from '../format/index.ts';
import { findNamesHere } from './absent-store.ts';
import { check, id } from './check.ts';
import type { RestorableService } from './content.ts';
import type { HeldRows } from './held-rows.ts';
import { type Decided, isMade } from './standing.ts';

/** What a backup of a project names so that a plan can say what will not come back; none of it is written. */
export interface Absent {
  /** Backups of earlier versions do not name any. */
  readonly isNamed: boolean;
  /** Names of clients by the ids that they had. */
  readonly clients: ReadonlyMap<string, string>;
  /** Ids of clients by the id of the service that ran there. */
  readonly targets: ReadonlyMap<string, readonly string[]>;
  readonly tokens: readonly string[];
}

const name = z.string().max(256);
const clientRow = z.looseObject({ id, name });
const targetRow = z.looseObject({ service_id: id, client_id: id });
const apiTokenRow = z.looseObject({ name });
const serviceTokenRow = z.looseObject({ kind: z.enum(['discovery', 'zone']), name });

export function readAbsent(rows: Pick<HeldRows, 'of'>, sections: Manifest['sections']): Absent {
  const clients = rows.of('clients').map((row) => check(clientRow, row));
  const targets = rows.of('service_targets').map((row) => check(targetRow, row));
  const apiTokens = rows.of('api_tokens').map((row) => check(apiTokenRow, row));
  const serviceTokens = rows.of('service_tokens').map((row) => check(serviceTokenRow, row));
  return {
    isNamed: sections.some(({ name: section }) => section === 'clients'),
    clients: new Map(clients.map((one) => [one.id, one.name])),
    targets: new Map(
      [...Map.groupBy(targets, ({ service_id }) => service_id)].map(([service, of]) => [
        service,
        of.map(({ client_id }) => client_id),
      ]),
    ),
    tokens: [...apiTokens.map((one) => one.name), ...serviceTokens.map((one) => `${one.kind} ${one.name}`.trim())],
  };
}

export interface AbsentOrder {
  readonly tx: Tx;
  readonly project: string;
  readonly absent: Absent;
  readonly services: readonly Decided<RestorableService>[];
}

/** By name and count, with what is to be done about it: clients and tokens that are not here, and services that ran on clients. */
export async function describeAbsent(order: AbsentOrder): Promise<RestorePlan['not_taken']> {
  const { tx, project, absent, services } = order;
  if (!absent.isNamed) return UNNAMED;
  const here = await findNamesHere(tx, project);
  const clients = [...absent.clients].filter(([from]) => !here.clients.has(from)).map(([, called]) => called);
  const tokens = absent.tokens.filter((called) => !here.tokens.has(called));
  const idle = services.filter(isMade).flatMap(({ name: called, item: { from } }) => {
    const ran = (absent.targets.get(from) ?? []).flatMap((client) => absent.clients.get(client) ?? []);
    return ran.length === 0 ? [] : [`${called} (${enumerate(ran)})`];
  });
  return [
    {
      kind: 'clients',
      count: clients.length,
      reason: `a machine comes back by enrolling in this project: ${enumerate(clients)}`,
    },
    {
      kind: 'clients of services',
      count: idle.length,
      reason: `services that are made anew run nowhere until they are given clients: ${enumerate(idle)}`,
    },
    {
      kind: 'tokens',
      count: tokens.length,
      reason: `a backup of a project has no secrets of tokens, make new ones: ${enumerate(tokens)}`,
    },
  ].filter(({ count }) => count > 0);
}

const UNNAMED = ['clients', 'tokens'].map((kind) => ({
  kind,
  count: 0,
  reason: 'they stay away, and this backup, of an earlier version, does not name them: look them up where it was made',
}));
const NAMED_MAX = 50;

function enumerate(names: readonly string[]): string {
  const shown = names.toSorted().slice(0, NAMED_MAX).join(', ');
  return names.length > NAMED_MAX ? `${shown} and ${names.length - NAMED_MAX} more` : shown;
}
