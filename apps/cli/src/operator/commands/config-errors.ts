import { configErrorRoutes } from '@flotilla/contract';
import { CliFailure, EXIT } from '../exit-codes.ts';
import type { Noun } from '../nouns/noun.ts';
import { readRows } from '../nouns/rows.ts';
import { act, type Given, toTable, type Verb } from '../nouns/verb.ts';
import { age } from '../output.ts';
import { services } from './lookups.ts';

/** Number of ids in one request. `clear` sends them in the URL, which is limited to a shorter length than a body. */
const BATCH_SIZES = { resolve: 1000, clear: 100 };

const SERVICE = { flags: '<service>', help: 'name or id', lookup: services } as const;
const ALL = { flags: '--all', help: 'all of the service' } as const;

/** Reported by proxies, by filters and by the translation. */
export const CONFIG_ERRORS: Noun = {
  help: 'configuration errors of services: list, resolve, clear',
  place: 'project',
  verbs: {
    list: act(
      {
        help: 'the number of errors of each service; or the errors of one service, newest first',
        instead: 'fleet',
        inputs: [
          { ...SERVICE, flags: '[service]' },
          { flags: '--all', help: 'resolved errors as well' },
        ],
      },
      async ({ scope, id, values }) => {
        if (values.service === undefined) {
          const query = { project: scope.project };
          const { body } = await scope.connection.call(configErrorRoutes.summary, { query });
          return toTable(body.services, { service: 'name', worst: 'status', errors: 'count' });
        }
        return toTable(await listErrors(scope, id('service'), values.all === true), {
          severity: 'severity',
          status: 'status',
          resource: ({ resource }) => `${resource.type} ${resource.name}`,
          message: 'message',
          times: 'occurrence_count',
          last: age('last_seen'),
          id: 'id',
        });
      },
    ),
    resolve: createBulk('resolve', 'mark errors as handled; one that occurs again is active again'),
    clear: createBulk('clear', 'delete the records of errors'),
  },
};

function createBulk(verb: 'resolve' | 'clear', help: string): Verb {
  const inputs = [SERVICE, { flags: '[id...]', help: 'ids of errors from the list' }, ALL];
  return act({ help, inputs }, async ({ scope, id, values }) => {
    const { connection, project } = scope;
    const params = { service_id: id('service') };
    const given = values.id as readonly string[];
    if (given.length === 0 && !values.all) throw new CliFailure(EXIT.usage, 'Give ids of errors, or --all');
    const all = async () => (await listErrors(scope, params.service_id, verb === 'clear')).map((error) => error.id);
    const chosen = values.all ? await all() : given;
    let changed = 0;
    for (let from = 0; from < chosen.length; from += BATCH_SIZES[verb]) {
      const ids = chosen.slice(from, from + BATCH_SIZES[verb]);
      const { body } =
        verb === 'clear'
          ? await connection.call(configErrorRoutes.clear, { params, query: { project, ids } })
          : await connection.call(configErrorRoutes.resolve, { params, query: { project }, body: { ids } });
      changed += body.changed;
    }
    return { json: { changed }, text: `${changed} ${verb === 'clear' ? 'deleted' : 'resolved'}` };
  });
}

function listErrors(scope: Given['scope'], serviceId: string, withResolved: boolean) {
  const query = { project: scope.project, ...(!withResolved && { status: ['active' as const] }) };
  return readRows(scope, configErrorRoutes.list, { params: { service_id: serviceId }, query });
}
