import { haRoutes } from '@flotilla/contract';
import { act, type Output } from '../../nouns/verb.ts';
import { DRY_RUN } from '../inputs.ts';
import { PAIR } from './inputs.ts';
import { findMemberOf } from './members.ts';
import { describeMembers } from './tables.ts';

interface MaintenanceValues {
  readonly member: string;
  readonly state: 'on' | 'off';
  readonly force?: boolean;
  readonly dryRun?: boolean;
}

export const MAINTENANCE = act<MaintenanceValues, typeof haRoutes.maintenance>(
  {
    help: 'begin or end the maintenance of a member, which never takes the addresses then',
    route: haRoutes.maintenance,
    inputs: [
      PAIR,
      { flags: '<member>', help: 'the client, by name or id' },
      { flags: '<state>', choices: ['on', 'off'] },
      { flags: '--force', help: 'even if nobody can take the addresses of the member', to: 'force' },
      DRY_RUN,
    ],
  },
  async ({ scope: { connection, project }, id }, { member, state, force, dryRun }): Promise<Output> => {
    const at = { params: { pair_id: id('pair') }, query: { project } };
    const { body: pair } = await connection.call(haRoutes.read, at);
    const body = { client_id: findMemberOf(pair, member), enabled: state === 'on', ...(force && { force }) };
    const query = { project, ...(dryRun && { dry_run: 'true' as const }) };
    const { body: after } = await connection.call(haRoutes.maintenance, { ...at, query, body });
    const text = dryRun
      ? `The maintenance of ${member} can ${state === 'on' ? 'begin' : 'end'}.`
      : `${after.name}: ${describeMembers(after)}. Status: ${after.status}.`;
    return { json: after, text };
  },
);
