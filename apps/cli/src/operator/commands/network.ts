import { readFile } from 'node:fs/promises';
import { text as readStream } from 'node:stream/consumers';
import {
  type CommandResultRecord,
  commandRoutes,
  type NetplanGeneration,
  type NetworkInterface,
  type NetworkPolicy,
  type NetworkRoute,
  type NetworkTable,
  readNetplan,
  readNetworkPolicies,
  readNetworkRoutes,
  readNetworkState,
  readNetworkTables,
} from '@flotilla/contract';
import { toErrorMessage } from '@flotilla/kit';
import { parse } from 'yaml';
import { CliFailure, EXIT } from '../exit-codes.ts';
import type { Input } from '../nouns/inputs.ts';
import type { Noun } from '../nouns/noun.ts';
import { act, type Given, type Output, type Verb } from '../nouns/verb.ts';
import { type Columns, printable, renderTable } from '../output.ts';
import { exitCodeOfOutcomes } from './command-outcomes.ts';
import { fleetClients } from './lookups.ts';

type Members = Readonly<Record<string, unknown>>;

const CLIENT: Input = { flags: '<client>', lookup: fleetClients };
const ACTION: Input = { flags: '<action>', choices: ['add', 'delete', 'replace'] };
const INTERFACE: Input = { flags: '--interface <name>', help: 'such as eth0' };
const TABLE: Input = { flags: '--table <id>', help: 'number of the routing table', read: parseWhole };
const TEST: Input = {
  flags: '--test-timeout <seconds>',
  help: 'how long the change is tested; 10 by default',
  read: parseWhole,
};
const FAMILY: Input = { flags: '--family <version>', help: '4 or 6', choices: ['4', '6'] };

const ROUTE_COLUMNS: Columns<NetworkRoute> = {
  to: 'to',
  via: 'via',
  interface: 'interface',
  table: 'table',
  metric: 'metric',
  source: 'source',
  protocol: 'protocol',
  stored: ({ stored }) => (stored ? 'yes' : 'no'),
};
const POLICY_COLUMNS: Columns<NetworkPolicy> = {
  priority: 'priority',
  family: ({ family }) => `IPv${family}`,
  from: 'from',
  to: 'to',
  table: 'table',
  interface: 'interface',
  protocol: 'protocol',
};
const TABLE_COLUMNS: Columns<NetworkTable> = {
  id: 'id',
  name: 'name',
  managed: ({ managed }) => (managed ? 'yes' : 'no'),
};
const LINK_COLUMNS: Columns<NetworkInterface> = {
  name: 'name',
  kind: 'kind',
  state: 'state',
  carrier: ({ has_carrier }) => (has_carrier ? 'yes' : 'no'),
  mtu: 'mtu',
  mac: 'mac_address',
  addresses: ({ addresses }) => addresses.join(', '),
};

/** The network of a host. */
export const NETWORK: Noun = {
  help: 'interfaces, routes, policies and routing tables of a host',
  place: 'project',
  verbs: {
    state: read('the interfaces', 'SUB_GET_NETWORK_STATE', {
      text: (result) => table(LINK_COLUMNS, readNetworkState(result)?.interfaces),
    }),
    routes: read('the routes', 'SUB_ROUTE_LIST', {
      inputs: [TABLE, FAMILY, INTERFACE],
      text: (result) => table(ROUTE_COLUMNS, readNetworkRoutes(result)?.routes),
    }),
    policies: read('the policies, which choose a routing table', 'SUB_POLICY_LIST', {
      inputs: [TABLE, FAMILY],
      text: (result) => table(POLICY_COLUMNS, readNetworkPolicies(result)?.policies),
    }),
    tables: read('the names of routing tables', 'SUB_TABLE_LIST', {
      text: (result) => table(TABLE_COLUMNS, readNetworkTables(result)?.routing_tables),
    }),
    netplan: read('the managed netplan file', 'SUB_NETPLAN_GET', {
      text: (result) => readNetplan(result)?.current_yaml ?? 'There is no managed file yet.',
    }),
    generations: read('the earlier contents of the managed netplan file', 'SUB_NETPLAN_GET', {
      text: (result) => table(GENERATION_COLUMNS, readNetplan(result)?.generations),
    }),
    apply: change('apply a netplan document; it is taken back if the host loses the controller', 'SUB_NETPLAN_APPLY', {
      inputs: [{ flags: '<file>', help: 'YAML, or - for standard input' }, TEST],
      command: async (given) => ({
        netplan_config: { yaml_content: await readGiven(given), ...testTimeout(given) },
      }),
    }),
    rollback: change('return to an earlier netplan document', 'SUB_NETPLAN_ROLLBACK', {
      inputs: [{ flags: '--generation <number>', help: 'the previous one by default', read: parseWhole }, TEST],
      command: async (given) => ({ ...pick(given.values, ['generation']), ...testTimeout(given) }),
    }),
    route: change('add, delete or replace a route', 'SUB_ROUTE_MANAGE', {
      inputs: [
        ACTION,
        { flags: '<to>', help: 'a network, or default' },
        { flags: '--via <address>', help: 'the next hop' },
        INTERFACE,
        TABLE,
        { flags: '--metric <number>', read: parseWhole },
        { flags: '--source <address>', help: 'the address that the host uses for connections over this route' },
        { flags: '--scope <scope>', choices: ['global', 'link', 'host'] },
        { flags: '--onlink', help: 'the next hop is on the link, although no address of the interface covers it' },
        TEST,
      ],
      command: async (given) =>
        one(given, 'route', ['to', 'via', 'interface', 'table', 'metric', 'source', 'scope', 'onlink']),
    }),
    policy: change('add, delete or replace a policy', 'SUB_POLICY_MANAGE', {
      inputs: [
        ACTION,
        { flags: '<priority>', read: parseWhole },
        { flags: '--from <network>', help: 'source of the packets' },
        { flags: '--to <network>', help: 'destination of the packets' },
        { ...TABLE, isRequired: true },
        { ...INTERFACE, help: 'whose netplan definition contains the policy' },
        TEST,
      ],
      command: async (given) => one(given, 'policy', ['from', 'to', 'table', 'priority', 'interface']),
    }),
    table: change('add, delete or rename a routing table', 'SUB_TABLE_MANAGE', {
      inputs: [ACTION, { flags: '<id>', read: parseWhole }, { flags: '<name>' }, TEST],
      command: async (given) => one(given, 'table', ['id', 'name']),
    }),
    batch: act(
      {
        help: 'run operations of a file, all or none of them',
        inputs: [
          CLIENT,
          { flags: '<file>', help: 'route_operations, policy_operations or table_operations; - for standard input' },
          TEST,
        ],
      },
      async (given) => {
        const command = { ...readBatch(await readGiven(given)), ...testTimeout(given) };
        const kind = (['route', 'policy', 'table'] as const).find((name) => `${name}_operations` in command);
        if (!kind)
          throw new CliFailure(EXIT.usage, 'The file has no route_operations, policy_operations or table_operations.');
        return report(await send(given, `SUB_${kind.toUpperCase()}_MANAGE`, command), () => 'done');
      },
    ),
  },
};

interface Read {
  readonly inputs?: readonly Input[];
  readonly text: (result: unknown) => string | undefined;
}

function read(help: string, subType: string, { inputs = [], text }: Read): Verb {
  return act({ help, inputs: [CLIENT, ...inputs] }, async (given) => {
    const { family, ...filter } = pick(given.values, ['table', 'family', 'interface']);
    const command = { ...filter, ...(family !== undefined && { family: Number(family) }) };
    return report(await send(given, subType, command), text);
  });
}

interface Change {
  readonly inputs: readonly Input[];
  readonly command: (given: Given) => Promise<Members>;
}

function change(help: string, subType: string, { inputs, command }: Change): Verb {
  return act({ help, inputs: [CLIENT, ...inputs] }, async (given) =>
    report(await send(given, subType, await command(given)), () => 'done'),
  );
}

async function send({ scope, id }: Given, subType: string, command: Members) {
  const { body } = await scope.connection.call(commandRoutes.dispatch, {
    query: { project: scope.project },
    body: { type: 'NETWORK', sub_type: subType, clients: [{ client_id: id('client') }], command },
  });
  return body;
}

function report(answer: { readonly results: readonly CommandResultRecord[] }, text: Read['text']): Output {
  const [result] = answer.results;
  const exit = exitCodeOfOutcomes(answer.results);
  if (result?.outcome !== 'done') {
    const reason = `${result?.outcome}: ${result?.error?.message ?? 'no answer yet'}`;
    return { json: answer, exit, note: printable(reason) };
  }
  const shown = text(result.result);
  if (shown === undefined) throw new CliFailure(EXIT.failed, 'The client answered in an unknown form. Use --json.');
  return { json: answer, exit, text: shown.split('\n').map(printable).join('\n') };
}

function table<Row>(columns: Columns<Row>, rows: readonly Row[] | undefined): string | undefined {
  if (!rows) return undefined;
  return rows.length === 0 ? 'Nothing found.' : renderTable(columns, rows);
}

const GENERATION_COLUMNS: Columns<NetplanGeneration> = {
  generation: 'generation',
  since: 'at',
  command: ({ command_id: id }) => id || null,
  lines: ({ yaml }) => (yaml === null ? 'no file' : yaml.trimEnd().split('\n').length),
};

function one(given: Given, kind: string, members: readonly string[]): Members {
  const operation = { action: String(given.values.action).toUpperCase(), [kind]: pick(given.values, members) };
  return { [`${kind}_operations`]: [operation], ...testTimeout(given) };
}

function testTimeout({ values }: Given): Members {
  return values.testTimeout === undefined ? {} : { test_timeout_seconds: values.testTimeout };
}

function pick(values: Members, names: readonly string[]): Members {
  return Object.fromEntries(names.flatMap((name) => (values[name] === undefined ? [] : [[name, values[name]]])));
}

async function readGiven({ io, values }: Given): Promise<string> {
  const file = String(values.file);
  if (file === '-') return readStream(io.stdin);
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new CliFailure(EXIT.usage, `${file}: ${toErrorMessage(error)}`);
  }
}

function readBatch(text: string): Members {
  let value: unknown;
  try {
    value = parse(text);
  } catch (error) {
    throw new CliFailure(EXIT.usage, `The file is not YAML: ${toErrorMessage(error)}`);
  }
  if (typeof value !== 'object' || value === null) throw new CliFailure(EXIT.usage, 'The file has no operations.');
  return value as Members;
}

function parseWhole(text: string): number {
  if (!/^\d{1,10}$/.test(text)) throw new CliFailure(EXIT.usage, `"${text}" is not a whole number`);
  return Number(text);
}
