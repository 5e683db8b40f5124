import { type CommandResultRecord, commandRoutes, DRAIN_TIME } from '@flotilla/contract';
import { CliFailure, EXIT } from '../exit-codes.ts';
import type { Input } from '../nouns/inputs.ts';
import { act, type Output, type Verb } from '../nouns/verb.ts';
import { requireServiceId, type Scope } from '../records.ts';
import { exitCodeOfOutcomes } from './command-outcomes.ts';
import { ALL, CLIENT, describeFailures, findGivenClients, nameOf } from './host-commands.ts';
import { services } from './lookups.ts';

interface UpgradeValues {
  readonly name: string;
  readonly from: string;
  readonly to: string;
  readonly drain?: number;
  readonly port?: number;
  readonly client?: readonly string[];
  readonly all?: boolean;
}

const wholeNumber =
  (what: string, max: number) =>
  (text: string): number => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < 1 || value > max)
      throw new CliFailure(EXIT.usage, `"${text}" is no ${what}: give a whole number from 1 to ${max}`);
    return value;
  };

const INPUTS: readonly Input[] = [
  { flags: '<name>', source: services.source },
  { flags: '--from <version>', help: 'the Envoy that the clients should run now', isRequired: true },
  { flags: '--to <version>', help: 'the Envoy to run instead', isRequired: true },
  CLIENT,
  { ...ALL, help: 'all clients of the service' },
  {
    flags: '--drain <seconds>',
    help: `how long the replaced Envoy may finish its connections; also for later replacements (${DRAIN_TIME.defaultS} unless set)`,
    read: wholeNumber('drain time', DRAIN_TIME.maxS),
  },
  { flags: '--port <port>', help: 'a port that has to be served afterwards', read: wholeNumber('port', 65_535) },
];

/** Moves a service to another Envoy. To do so in waves: `flotilla commands rollout UPGRADE_LISTENER`. */
export const UPGRADE: Verb = act(
  {
    help: 'move a service to another Envoy version; a client where that fails goes back',
    inputs: INPUTS,
  },
  ({ scope }, values: UpgradeValues) => upgrade(scope, values),
);

async function upgrade(scope: Scope, { name, from, to, drain, port, ...which }: UpgradeValues): Promise<Output> {
  const { connection, project } = scope;
  const [from_version, to_version] = [from, to].map((version) => version.replace(/^v/, ''));
  const service_id = await requireServiceId(scope, name);
  // All clients of the service, if none is named.
  const clients = which.all === true && which.client === undefined ? [] : await findGivenClients(scope, { ...which });
  const { body } = await connection.call(commandRoutes.dispatch, {
    query: { project },
    body: {
      type: 'UPGRADE_LISTENER',
      clients: clients.map(({ client_id }) => ({ client_id })),
      command: {
        service_id,
        from_version,
        to_version,
        ...(drain !== undefined && { drain_time_seconds: drain }),
        ...(port !== undefined && { port }),
      },
    },
  });
  const { results } = body;
  const failures = describeFailures(results);
  const done = results.filter(({ outcome }) => outcome === 'done');
  return {
    json: { results },
    text: done.map((one: CommandResultRecord) => `${nameOf(one)} runs Envoy ${to_version}`).join('\n') || undefined,
    exit: exitCodeOfOutcomes(results),
    ...(failures.length > 0 && { note: failures.join('\n') }),
  };
}
