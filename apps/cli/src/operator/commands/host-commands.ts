import { type CommandResultRecord, commandRoutes, fleetRoutes } from '@flotilla/contract';
import { CliFailure, EXIT } from '../exit-codes.ts';
import type { Input } from '../nouns/inputs.ts';
import { readRows } from '../nouns/rows.ts';
import type { Given } from '../nouns/verb.ts';
import { printable } from '../output.ts';
import type { Scope } from '../records.ts';
import { fleetClients } from './lookups.ts';

export const CLIENT: Input = {
  flags: '--client <name>',
  help: 'only this client',
  isList: true,
  source: fleetClients.source,
};
export const ALL: Input = { flags: '--all', help: 'all clients of the project' };

/** One request takes so many clients. */
const CLIENTS_MAX = 1000;

/** The clients of a change, which have to be named. */
export async function findGivenClients(scope: Scope, values: Given['values']) {
  if ((values.client === undefined) === (values.all !== true))
    throw new CliFailure(EXIT.usage, 'Name the hosts with --client, or give --all.');
  const clients = await findClients(scope, values);
  if (clients.length === 0) throw new CliFailure(EXIT.failed, 'Nothing was sent: the project has no clients.');
  return clients;
}

type Client = Awaited<ReturnType<typeof findClients>>[number];

/** The clients that --client names, or all. */
export async function findClients(scope: Scope, values: Given['values']) {
  const all = await readRows(scope, fleetRoutes.clients, { query: { project: scope.project } });
  if (!Array.isArray(values.client)) return all;
  const ids = new Set<string>();
  for (const text of values.client) ids.add((await fleetClients.find(scope, String(text))).id);
  return all.filter(({ client_id: id }) => ids.has(id));
}

/** Sends a command to clients, in as many requests as needed. */
export async function sendToHosts(
  { connection, project }: Scope,
  clients: readonly Client[],
  body: { readonly type: string; readonly sub_type?: string; readonly command: Record<string, unknown> },
): Promise<CommandResultRecord[]> {
  const results: CommandResultRecord[] = [];
  for (let i = 0; i < clients.length; i += CLIENTS_MAX) {
    const part = clients.slice(i, i + CLIENTS_MAX).map(({ client_id }) => ({ client_id }));
    const answer = await connection.call(commandRoutes.dispatch, {
      query: { project },
      body: { ...body, clients: part },
    });
    results.push(...answer.body.results);
  }
  return results;
}

/** One line for each client whose outcome is not `done`. */
export function describeFailures(results: readonly CommandResultRecord[]): string[] {
  return results.flatMap((one) =>
    one.outcome === 'done'
      ? []
      : [printable(`${nameOf(one)}: ${one.outcome}: ${one.error?.message ?? 'no answer yet'}`)],
  );
}

export function nameOf({ client_name: name, client_id: id }: CommandResultRecord): string {
  return name ?? id;
}
