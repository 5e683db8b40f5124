import { type ShieldNode, shieldNodeRoutes } from '@flotilla/contract';
import type { Input } from '../nouns/inputs.ts';
import type { Noun } from '../nouns/noun.ts';
import { readRows } from '../nouns/rows.ts';
import { act, toTable } from '../nouns/verb.ts';
import { age } from '../output.ts';
import { fleetClients, services } from './lookups.ts';

const CLIENT: Input = { flags: '--client <name>', help: 'only this client', lookup: fleetClients };

/** The filters next to the proxies. */
export const FILTERS: Noun = {
  help: 'the filters and the policies that they run: list, resync',
  place: 'project',
  verbs: {
    list: act(
      {
        help: 'each filter with what it runs',
        inputs: [{ flags: '[service]', help: 'only this service', lookup: services }, CLIENT],
      },
      async ({ scope, id, values }) => {
        const query = {
          project: scope.project,
          ...(values.service !== undefined && { service_id: [id('service')] }),
          ...(values.client !== undefined && { client_id: [id('client')] }),
        };
        const rows = await readRows(scope, shieldNodeRoutes.list, { query });
        return toTable(rows, {
          service: 'service_name',
          client: 'client_name',
          state: describeState,
          policies: ({ policies }) => policies.join(', '),
          digest: ({ live_digest: digest }) => digest?.slice(0, 12),
          error: 'policy_error',
          reported: age('reported_at'),
        });
      },
    ),
    resync: act({ help: 'send the policies to the filters again', inputs: [CLIENT] }, async ({ scope, id, values }) => {
      const body = values.client === undefined ? {} : { clients: [id('client')] };
      const query = { project: scope.project };
      const answer = await scope.connection.call(shieldNodeRoutes.resync, { query, body });
      const { services: of, nodes, offline } = answer.body;
      const later = offline === 0 ? '' : `; ${offline} of them when their client reconnects`;
      return { json: answer.body, text: `Sent to ${nodes} filters of ${of} services${later}.` };
    }),
  },
};

function describeState(node: ShieldNode): string {
  if (node.run_state === 'stopped') return 'stopped';
  if (!node.connected) return 'offline';
  if (!node.shield_running) return 'not running';
  if (node.policy_error !== null) return 'refused';
  return node.current === true ? 'current' : node.current === false ? 'outdated' : 'unknown';
}
