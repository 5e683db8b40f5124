import { type CallOutput, documentRoutes, versionRoutes } from '@flotilla/contract';
import type { Command } from 'commander';
import { CliFailure, EXIT } from '../exit-codes.ts';
import { note, printJson, printList } from '../output.ts';
import { findVersion, type RecordKind, readService, requireServiceId, type Scope } from '../records.ts';
import { type RecordOptions, withRecord } from './record-options.ts';
import type { Runner } from './runner.ts';
import { openScope } from './scope-options.ts';

type Graph = CallOutput<typeof documentRoutes.dependency>;
type Edge = Graph['edges'][number];

export function addDependencyCommand(program: Command, runner: Runner): void {
  const { io } = runner;
  withRecord(program.command('dependencies'))
    .description('what a document, policy or service needs and what needs it, directly or indirectly')
    .action(
      runner.action(async (collection: RecordKind, name: string, options: RecordOptions) => {
        const scope = await openScope(io, options);
        const version = options.version ?? (await chooseVersion(scope, collection, name));
        const { body: graph } = await scope.connection.call(documentRoutes.dependency, {
          params: { name },
          query: { project: scope.project, version, collection },
        });
        if (options.json) printJson(io, graph);
        else if (graph.edges.length === 0) note(io, `${collection}/${name} needs nothing, and nothing needs it.`);
        else printList(io, { rows: graph.edges, columns: createColumns(graph) });
        if (graph.truncated) note(io, `There are more references than these ${graph.edges.length}.`);
        return EXIT.ok;
      }),
    );
}

function createColumns({ nodes }: Graph) {
  const missing = new Set(nodes.flatMap(({ id, missing }) => (missing ? [id] : [])));
  return {
    what: ({ from }: Edge) => from,
    needs: ({ to }: Edge) => (missing.has(to) ? `${to} (missing)` : to),
    at: ({ path }: Edge) => path,
  };
}

/** References connect records of one version. For a policy, which has no version, uses the version of the services. */
async function chooseVersion(scope: Scope, collection: RecordKind, name: string): Promise<string> {
  if (collection === 'services') return (await readService(scope, await requireServiceId(scope, name))).service.version;
  if (collection !== 'policies') return findVersion(scope, collection, name);
  const { body } = await scope.connection.call(versionRoutes.list, { query: { project: scope.project } });
  const served = body.items.filter(({ services }) => services > 0);
  const [only = body.items[0], ...others] = served;
  if (only && others.length === 0) return only.version;
  const versions = served.map(({ version }) => version).join(', ');
  throw new CliFailure(EXIT.usage, `Services are of several versions. Add --version: ${versions}`);
}
