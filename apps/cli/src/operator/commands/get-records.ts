import { COLLECTIONS, type Collection, xdsRoutes } from '@flotilla/contract';
import { renderDocument } from '../manifest/render.ts';
import type { Source } from '../nouns/sources.ts';
import { act, type Output, toTable, type Verb } from '../nouns/verb.ts';
import { age } from '../output.ts';
import { findVersion, listClients, listDocuments, listPolicies, listServices, type Scope } from '../records.ts';
import { type ListFilter, showClients, showServices } from './fleet.ts';
import { showPolicies } from './policies.ts';

interface GetOptions extends ListFilter {
  readonly collection: (typeof LISTS)[number];
  readonly version?: string;
  readonly label?: string[];
}

const LISTS = [...COLLECTIONS, 'services', 'clients', 'policies'] as const;

/** Lists the names in the collection that precedes the name on the command line. */
export const RECORD_NAMES: Source = {
  kind: 'names',
  needsProject: true,
  list: async (reach, typed) => {
    const scope = reach as Scope;
    const [kind] = typed.args;
    if (kind === 'services') return (await listServices(scope)).map(({ name }) => name);
    if (kind === 'clients') return (await listClients(scope)).map(({ name }) => name);
    if (kind === 'policies') return (await listPolicies(scope)).map(({ name }) => name);
    const collection = COLLECTIONS.find((one) => one === kind);
    if (!collection) return [];
    const found = await listDocuments(scope, collection, { version: typed.options.get('--version') });
    return [...new Set(found.map(({ name }) => name))];
  },
};

export const GET: Verb = act(
  {
    help: 'list a collection, or print one record in the form that apply accepts',
    instead: 'fleet',
    inputs: [
      { flags: '<collection>', choices: LISTS },
      { flags: '[name]', source: RECORD_NAMES },
      { flags: '--version <version>', help: 'Envoy version of the documents' },
      { flags: '--label <key=value>', help: 'only documents with this label', isList: true },
      { flags: '-q, --query <text>', help: 'part of names and descriptions' },
    ],
  },
  async ({ scope }, options: GetOptions & { readonly json?: boolean }) => {
    switch (options.collection) {
      case 'services':
        return showServices(scope, options);
      case 'clients':
        return showClients(scope, options);
      case 'policies':
        return showPolicies(scope, options);
      default:
        return showDocuments(scope, options.collection, options);
    }
  },
);

async function showDocuments(
  scope: Scope,
  collection: Collection,
  { name, version: chosen, label, query, json }: Omit<GetOptions, 'collection'> & { readonly json?: boolean },
): Promise<Output> {
  if (name !== undefined) {
    const version = chosen ?? (await findVersion(scope, collection, name));
    const request = { params: { collection, name }, query: { project: scope.project, version } };
    const { body } = await scope.connection.call(xdsRoutes.get, request);
    return { json: body, raw: renderDocument({ collection, name, version }, body) };
  }
  const filter = { version: chosen, labels: label, q: query, withResource: json };
  return toTable(await listDocuments(scope, collection, filter), {
    name: 'name',
    version: 'version',
    type: ({ type }) => type.split('.').at(-1),
    revision: 'revision',
    changed: age('updated_at'),
    by: 'updated_by',
  });
}
