import { haRoutes } from '@flotilla/contract';
import { CliFailure, EXIT } from '../../exit-codes.ts';
import { act, type Given, type Output } from '../../nouns/verb.ts';
import { DRY_RUN, NAME, NEW_NAME } from '../inputs.ts';
import { fleetClients } from '../lookups.ts';
import { FENCE, INTERVAL, MISSES, NEXT_HOP, PAIR, readHeartbeat } from './inputs.ts';
import { findMembers, readMemberChanges } from './members.ts';
import { describeMembers } from './tables.ts';

interface PairValues {
  readonly interval?: number;
  readonly misses?: number;
  readonly fence?: readonly string[];
  readonly nextHop?: readonly string[];
  readonly dryRun?: boolean;
}

interface CreateValues extends PairValues {
  readonly name: string;
  readonly member: readonly string[];
  readonly preempt?: true;
}

export const CREATE = act<CreateValues, typeof haRoutes.create>(
  {
    help: 'create a pair from one or two clients',
    route: haRoutes.create,
    inputs: [
      NAME,
      {
        flags: '--member <client[=priority[,address]]>',
        help: 'a client, with its priority and its address on the data network; the first one has priority 200, the second one 100',
        isList: true,
        isRequired: true,
        source: fleetClients.source,
      },
      INTERVAL,
      MISSES,
      FENCE,
      NEXT_HOP,
      { flags: '--preempt', help: 'the member of higher priority takes the addresses back', to: 'preempt' },
      DRY_RUN,
    ],
  },
  create,
);

async function create({ scope }: Given, values: CreateValues): Promise<Output> {
  const { name, member, fence, nextHop, preempt, dryRun } = values;
  if (member.length > 2) throw new CliFailure(EXIT.usage, 'A pair has one or two members.');
  const hb = readHeartbeat(values);
  const { body } = await scope.connection.call(haRoutes.create, {
    query: dryRun ? { dry_run: 'true' } : {},
    body: {
      name,
      project: scope.project,
      members: await findMembers(scope, member),
      ...(hb && { hb }),
      ...(fence && { fence_targets: [...fence] }),
      ...(nextHop && { next_hops: [...nextHop] }),
      ...(preempt && { preempt }),
    },
  });
  if (dryRun) return { json: body, text: `HA pair ${name} can be created.` };
  return { json: body, text: `HA pair ${body.name} created: ${describeMembers(body)}. Status: ${body.status}.` };
}

interface UpdateValues extends PairValues {
  readonly name?: string;
  readonly priority?: readonly string[];
  readonly dataAddress?: readonly string[];
  readonly managementAddress?: readonly string[];
  readonly clearFence?: true;
  readonly clearNextHops?: true;
  readonly preempt?: 'on' | 'off';
  readonly rotateKey?: true;
}

const ofMember = (flags: string, help: string) => ({ flags, help, isList: true }) as const;

export const UPDATE = act<UpdateValues, typeof haRoutes.update>(
  {
    help: 'change a pair, and send its members the new configuration',
    route: haRoutes.update,
    inputs: [
      PAIR,
      NEW_NAME,
      INTERVAL,
      MISSES,
      FENCE,
      { flags: '--clear-fence', help: 'without fence targets', conflicts: 'fence' },
      NEXT_HOP,
      { flags: '--clear-next-hops', help: 'without next hops', conflicts: 'nextHop' },
      {
        flags: '--preempt <state>',
        help: 'whether the member of higher priority takes the addresses back',
        choices: ['on', 'off'],
      },
      ofMember('--priority <client=number>', 'from 1 to 1000'),
      ofMember(
        '--data-address <client=address>',
        'the address for heartbeats instead of the found one; "client=": the found one',
      ),
      ofMember('--management-address <client=address>', 'the same on the management network'),
      { flags: '--rotate-key', help: 'a new heartbeat key', to: 'rotate_secret' },
      DRY_RUN,
    ],
  },
  update,
);

async function update({ scope, id }: Given, values: UpdateValues): Promise<Output> {
  const { connection, project } = scope;
  const at = { params: { pair_id: id('pair') }, query: { project } };
  const { body: pair } = await connection.call(haRoutes.read, at);
  const { dryRun } = values;
  const query = { project, ...(dryRun && { dry_run: 'true' as const }) };
  const { body } = await connection.call(haRoutes.update, {
    ...at,
    query,
    body: {
      ...readChanges(values),
      ...toObject('hb', readHeartbeat(values)),
      ...toObject('members', readMemberChanges(pair, values)),
    },
  });
  if (dryRun) return { json: body, text: `HA pair ${pair.name} can be changed.` };
  return { json: body, text: `HA pair ${body.name} changed. Its configuration has revision ${body.config_rev}.` };
}

function readChanges({ name, fence, clearFence, nextHop, clearNextHops, preempt, rotateKey }: UpdateValues) {
  return {
    ...(name !== undefined && { name }),
    ...((fence ?? clearFence) && { fence_targets: [...(fence ?? [])] }),
    ...((nextHop ?? clearNextHops) && { next_hops: [...(nextHop ?? [])] }),
    ...(preempt && { preempt: preempt === 'on' }),
    ...(rotateKey && { rotate_secret: true }),
  };
}

function toObject<Name extends string, Value>(name: Name, value: Value | undefined) {
  return value === undefined ? {} : ({ [name]: value } as { [key in Name]: Value });
}
