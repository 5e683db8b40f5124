import { type CommandResultRecord, type ForwarderStatus, readForwarderStatus } from '@flotilla/contract';
import type { Input } from '../nouns/inputs.ts';
import { act, type Given, type Output, type Verb } from '../nouns/verb.ts';
import { renderTable } from '../output.ts';
import { exitCodeOfOutcomes } from './command-outcomes.ts';
import { ALL, CLIENT, describeFailures, findClients, findGivenClients, nameOf, sendToHosts } from './host-commands.ts';
import { readPem } from './read-pem.ts';

interface Row {
  readonly client: string;
  readonly status: ForwarderStatus;
  readonly target: string | null;
}

/** A type of commands that controls a forwarder of hosts. */
export interface ForwarderCommands {
  readonly type: string;
  readonly update: string;
  readonly getConfig: string;
  readonly getStatus: string;
  /** The member of the body with the configuration. */
  readonly member: string;
  /** Where a host sends logs, from the answer to `getConfig`. */
  readonly describe: (config: CommandResultRecord | undefined) => string | null;
}

const FILE = (name: string, help: string): Input => ({ flags: `--${name} <file>`, help });

export const TLS_INPUTS: readonly Input[] = [
  FILE('ca', 'the authority of the server (PEM); those of the host by default'),
  FILE('cert', 'the certificate of the hosts (PEM)'),
  FILE('key', 'its private key (PEM); omit it to keep the stored one'),
  { flags: '--server-name <name>', help: 'the name in the certificate of the server' },
];

/** The commands that all forwarders have. */
export function forwarderVerbs(commands: ForwarderCommands): Readonly<Record<string, Verb>> {
  const { type, update, member } = commands;
  const control = (sub_type: string, help: string) =>
    act({ help, inputs: [CLIENT, ALL] }, (given) => changeForwarder(given, { type, sub_type, command: {} }));
  return {
    status: act({ help: 'where hosts send logs, and whether that works', inputs: [CLIENT] }, (given) =>
      listForwarders(given, commands),
    ),
    start: control('SUB_START', 'start a stopped forwarder'),
    stop: control('SUB_STOP', 'stop the forwarder until it is started'),
    restart: control('SUB_RESTART', 'start the program of the forwarder again'),
    remove: act({ help: 'stop forwarding and delete the configuration', inputs: [CLIENT, ALL] }, (given) =>
      changeForwarder(given, { type, sub_type: update, command: { [member]: null } }),
    ),
  };
}

/** The TLS part of a configuration. Undefined: no option asks for it. */
export async function readTlsOptions({ ca, cert, key: keyFile, serverName }: Given['values']) {
  if ([ca, cert, keyFile, serverName].every((one) => one === undefined)) return undefined;
  const key = await readPem(keyFile);
  return {
    ca_cert: (await readPem(ca)) ?? null,
    client_cert: (await readPem(cert)) ?? null,
    // Without a certificate there is no key to keep.
    ...(key !== undefined ? { client_key: key } : cert === undefined && { client_key: null }),
    server_name: serverName ?? null,
  };
}

/** Prints what the forwarders of hosts do. */
async function listForwarders(
  { scope, values }: Given,
  { type, getStatus, getConfig, describe }: ForwarderCommands,
): Promise<Output> {
  const clients = await findClients(scope, values);
  const connected = clients.filter((one) => one.connected);
  const results = await sendToHosts(scope, connected, { type, sub_type: getStatus, command: {} });
  const configs = await sendToHosts(scope, connected, { type, sub_type: getConfig, command: {} });
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
