import { haRoutes } from '@flotilla/contract';
import { EXIT } from '../../exit-codes.ts';
import type { Noun } from '../../nouns/noun.ts';
import { act, get, idAs, list, type Output, send } from '../../nouns/verb.ts';
import { DRY_RUN } from '../inputs.ts';
import { fleetClients } from '../lookups.ts';
import { CREATE, UPDATE } from './change.ts';
import { FAILOVER } from './failover.ts';
import { INTERFACES, PAIR, pairs, readInteger } from './inputs.ts';
import { MAINTENANCE } from './maintenance.ts';
import { CANDIDATE_COLUMNS, describeMembers, HISTORY_COLUMNS, PAIR_COLUMNS, SERVICE_COLUMNS } from './tables.ts';

const CLIENT = { flags: '<client>', help: 'name or id', to: 'client_id', lookup: fleetClients } as const;

export const PAIRS: Noun = {
  help: 'pairs of hosts that share the addresses of their services',
  place: 'project',
  verbs: {
    list: list(haRoutes.list, { columns: PAIR_COLUMNS }),
    get: get(haRoutes.read, { help: 'one pair, with what its members report', inputs: [PAIR] }),
    create: CREATE,
    update: UPDATE,
    delete: send(haRoutes.remove, {
      help: 'delete a pair; its services must be undeployed, or stay on one member with --force',
      inputs: [
        PAIR,
        { flags: '--force', help: 'although it has services: they stay on one member', to: 'force', value: 'true' },
        DRY_RUN,
      ],
      json: idAs('deleted', 'pair'),
      text: (_, { name, values }) =>
        values.dryRun ? `HA pair ${name('pair')} can be deleted.` : `HA pair ${name('pair')} deleted.`,
    }),
    'add-member': act(
      {
        help: 'fill the vacant slot of a pair',
        route: haRoutes.addMember,
        inputs: [
          PAIR,
          CLIENT,
          {
            flags: '--priority <number>',
            help: 'from 1 to 1000; by default that of the vacant slot',
            to: 'priority',
            read: readInteger,
          },
          INTERFACES,
          DRY_RUN,
        ],
      },
      async ({ scope: { connection, project }, request, id, name, values }): Promise<Output> => {
        const at = { params: { pair_id: id('pair') }, query: { project } };
        const priority =
          typeof values.priority === 'number'
            ? values.priority
            : // Without a vacancy the controller refuses any priority.
              ((await connection.call(haRoutes.read, at)).body.vacancy?.priority ?? 1);
        const body = { ...request.body, priority };
        const answer = await connection.call(haRoutes.addMember, { ...request, body } as never);
        const done = values.dryRun ? 'can join' : 'is a member of';
        return { json: answer.body, text: `${name('client')} ${done} ${name('pair')}.` };
      },
    ),
    eligible: list(haRoutes.eligible, {
      help: 'which clients can join a pair, and why others cannot',
      inputs: [
        { flags: '--for-pair <pair>', help: 'the pair that the client would join', to: 'for_pair', lookup: pairs },
      ],
      columns: CANDIDATE_COLUMNS,
    }),
    failover: FAILOVER,
    maintenance: MAINTENANCE,
    push: send(haRoutes.push, {
      inputs: [PAIR, DRY_RUN],
      text: (pair, { values }) =>
        values.dryRun
          ? `Revision ${pair.config_rev} would be sent again.`
          : `Revision ${pair.config_rev} was sent again. ${pair.name}: ${describeMembers(pair)}.`,
    }),
    sync: act(
      { help: 'retry the work on services that a member still lacks', route: haRoutes.sync, inputs: [PAIR, DRY_RUN] },
      async ({ scope: { connection }, request, values }): Promise<Output> => {
        const { body } = await connection.call(haRoutes.sync, request as never);
        const count = body.pending.length;
        if (count === 0) return { json: body, text: 'There is no pending work.' };
        const lines = body.pending.map(
          (one) => `${one.client}: ${one.op} ${one.service}${one.last_error ? `: ${one.last_error}` : ''}`,
        );
        const text = [`Pending work: ${count}. It is retried in the background.`, ...lines].join('\n');
        return { json: body, text, exit: values.dryRun ? EXIT.ok : EXIT.unfinished };
      },
    ),
    services: list(haRoutes.services, { inputs: [PAIR], columns: SERVICE_COLUMNS }),
    history: list(haRoutes.history, {
      inputs: [PAIR, { flags: '--limit <number>', help: 'maximum number of rows', to: 'limit', read: readInteger }],
      columns: HISTORY_COLUMNS,
    }),
  },
};
