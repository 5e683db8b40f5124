import { documentRoutes, searchRoutes } from '@flotilla/contract';
import { act, list, toTable, type Verb } from '../nouns/verb.ts';
import { age } from '../output.ts';

export const SEARCH: Verb = list(searchRoutes.find, {
  help: 'everything with a name that you may read, best match first',
  inputs: [
    { flags: '<text>', help: 'part of a name', to: 'q' },
    { flags: '--kind <kind>', to: 'kind' },
  ],
  columns: {
    kind: (row) => row.collection ?? row.kind,
    name: 'name',
    version: 'version',
    detail: 'detail',
    changed: age('updated_at'),
    id: 'id',
  },
});

export const COUNT: Verb = act(
  {
    help: 'the number of documents in each collection',
    route: documentRoutes.countAll,
    inputs: [{ flags: '--version <version>', help: 'of this Envoy version only', to: 'version' }],
  },
  async ({ scope: { connection, project } }, { version }: { version?: string }) => {
    const { body } = await connection.call(documentRoutes.countAll, { query: { project, version } });
    const columns = {
      collection: ([collection]: readonly [string, number]) => collection,
      documents: ([, count]: readonly [string, number]) => count,
    };
    return { ...toTable(Object.entries(body), columns), json: body };
  },
);
