import {
  type CallOutput,
  documentRoutes,
  SEARCH_KINDS,
  type SearchItem,
  searchRoutes,
  versionRoutes,
} from '@flotilla/contract';
import type { Command } from 'commander';
import { EXIT } from '../exit-codes.ts';
import { formatAge, printJson, printList } from '../output.ts';
import { collect } from './option-values.ts';
import type { Runner } from './runner.ts';
import { type CommonOptions, openScope, withJson, withProject } from './scope-options.ts';

interface SearchOptions extends CommonOptions {
  readonly kind?: string[];
}

interface CountOptions extends CommonOptions {
  readonly version?: string;
}

type Kinds = (typeof SEARCH_KINDS)[number][];
type ProxyVersion = CallOutput<typeof versionRoutes.list>['items'][number];

/** Finding one's way in a project. */
export function addSearchCommands(program: Command, runner: Runner): void {
  const { io } = runner;

  withJson(withProject(program.command('search')))
    .description('everything with a name that you may read, best match first')
    .argument('<text>', 'part of a name')
    .option('--kind <kind>', `${SEARCH_KINDS.join(', ')}; may be repeated`, collect)
    .action(
      runner.action(async (text: string, options: SearchOptions) => {
        const { connection, project } = await openScope(io, options);
        // Words that the API does not know are refused by it, with the ones that it does.
        const query = { project, q: text, kind: options.kind as Kinds | undefined };
        const { body } = await connection.call(searchRoutes.find, { query });
        printList(io, { rows: body.items, columns: createColumns(Date.now()) }, options);
        return EXIT.ok;
      }),
    );

  withJson(withProject(program.command('versions')))
    .description('proxy versions that documents and services may be of, and how much of the project is of each')
    .action(
      runner.list(
        () => [
          { title: 'version', value: (row: ProxyVersion) => row.version },
          { title: 'documents', value: (row: ProxyVersion) => row.documents },
          { title: 'services', value: (row: ProxyVersion) => row.services },
        ],
        async (options: CommonOptions) => {
          const { connection, project } = await openScope(io, options);
          return (await connection.call(versionRoutes.list, { query: { project } })).body.items;
        },
      ),
    );

  withJson(withProject(program.command('count')))
    .description('how many documents of each collection there are')
    .option('--version <version>', 'of this Envoy version alone')
    .action(
      runner.action(async (options: CountOptions) => {
        const { connection, project } = await openScope(io, options);
        const { body } = await connection.call(documentRoutes.countAll, {
          query: { project, version: options.version },
        });
        if (options.json) printJson(io, body);
        else printList(io, { rows: Object.entries(body), columns: COUNT_COLUMNS });
        return EXIT.ok;
      }),
    );
}

const COUNT_COLUMNS = [
  { title: 'collection', value: ([collection]: readonly [string, number]) => collection },
  { title: 'documents', value: ([, count]: readonly [string, number]) => count },
];

function createColumns(now: number) {
  return [
    { title: 'kind', value: (row: SearchItem) => row.collection ?? row.kind },
    { title: 'name', value: (row: SearchItem) => row.name },
    { title: 'version', value: (row: SearchItem) => row.version },
    { title: 'detail', value: (row: SearchItem) => row.detail },
    { title: 'changed', value: (row: SearchItem) => formatAge(row.updated_at, now) },
    { title: 'id', value: (row: SearchItem) => row.id },
  ];
}
