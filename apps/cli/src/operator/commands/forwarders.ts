import { type CommandResultRecord, type ForwarderStatus, readForwarderStatus } from '@flotilla/contract';
import type { Given, Output } from '../nouns/verb.ts';
import { renderTable } from '../output.ts';
import { exitCodeOfOutcomes } from './command-outcomes.ts';
import { describeFailures, findClients, findGivenClients, nameOf, sendToHosts } from './host-commands.ts';

interface Row {
  readonly client: string;
  readonly status: ForwarderStatus;
  readonly target: string | null;
}

/** Prints what the forwarders of hosts do. `describe` reads where they send logs from the second answer of a host. */
export async function listForwarders(
  { scope, values }: Given,
  { type, subTypes: [status, config] }: { readonly type: string; readonly subTypes: readonly [string, string] },
  describe: (config: CommandResultRecord | undefined) => string | null,
): Promise<Output> {
  const clients = await findClients(scope, values);
  const connected = clients.filter((one) => one.connected);
  const results = await sendToHosts(scope, connected, { type, sub_type: status, command: {} });
  const configs = await sendToHosts(scope, connected, { type, sub_type: config, command: {} });
  const rows = results.flatMap((result): Row[] => {
    const read = result.outcome === 'done' ? readForwarderStatus(result.result) : undefined;
    const target = describe(configs.find(({ client_id }) => client_id === result.client_id));
    return read ? [{ client: nameOf(result), status: read, target }] : [];
  });
  const columns = {
    client: ({ client }: Row) => client,
    state: ({ status: one }: Row) => toWord(one),
    'sends to': ({ target }: Row) => target,
    read: ({ status: { counters } }: Row) => counters?.read ?? null,
    waiting: ({ status: { counters } }: Row) => counters?.waiting ?? null,
    error: ({ status: { error } }: Row) => error?.split('\n', 1)[0] ?? null,
  };
  const offline = clients.filter((one) => !one.connected).map(({ name }) => `${name} is not connected.`);
  const notes = [...offline, ...describeFailures(results)];
  return {
    json: { results, configs },
    text: renderTable(columns, rows),
    exit: exitCodeOfOutcomes(results),
    ...(notes.length > 0 && { note: notes.join('\n') }),
  };
}

/** Sends a change to the named hosts and prints its outcomes. */
export async function changeForwarder(
  { scope, values }: Given,
  body: { readonly type: string; readonly sub_type: string; readonly command: Record<string, unknown> },
): Promise<Output> {
  const results = await sendToHosts(scope, await findGivenClients(scope, values), body);
  const done = results.filter(({ outcome }) => outcome === 'done');
  const failures = describeFailures(results);
  return {
    json: { results },
    text: done.map((one) => `${nameOf(one)} ${describeResult(one)}`).join('\n') || undefined,
    exit: exitCodeOfOutcomes(results),
    ...(failures.length > 0 && { note: failures.join('\n') }),
  };
}

function describeResult({ result }: CommandResultRecord): string {
  const status = readForwarderStatus(result);
  return status ? toWord(status) : 'done';
}

function toWord({ configured, pid, wanted, counters }: ForwarderStatus): string {
  if (!configured) return 'not configured';
  if (pid === undefined) return wanted === 'stopped' ? 'stopped' : 'failed';
  return counters?.suspended ? 'running, server unreachable' : 'running';
}
