import { type Collection, documentRoutes, policyRoutes, serviceRoutes } from '@flotilla/contract';
import { Argument, type Command } from 'commander';
import { applyManifests } from '../apply/apply.ts';
import type { Change } from '../apply/change.ts';
import { toChange } from '../apply/documents.ts';
import { CliFailure, EXIT } from '../exit-codes.ts';
import { loadManifests } from '../manifest/load.ts';
import { note, print, printable, printJson } from '../output.ts';
import { findServiceId, findVersion, RECORD_KINDS, type RecordKind, requireServiceId, type Scope } from '../records.ts';
import { collect } from './option-values.ts';
import type { Runner } from './runner.ts';
import { type CommonOptions, openScope, withJson, withProject } from './scope-options.ts';

interface FileOptions extends CommonOptions {
  readonly filename?: string[];
  readonly version?: string;
  readonly dryRun?: boolean;
}

export function addDocumentCommands(program: Command, runner: Runner): void {
  const { io } = runner;

  withFiles(withJson(withProject(program.command('apply'))))
    .description('write documents, policies and services from files; all documents or none')
    .option('--dry-run', 'run every check and show what would change; changes nothing')
    .action(
      runner.action(async (options: FileOptions) => {
        const manifests = await loadManifests(io, requireFiles(options), options.version);
        const scope = await openScope(io, options);
        const dryRun = options.dryRun === true;
        const changes = await applyManifests(scope, manifests, { dryRun });
        if (options.json) printJson(io, { dry_run: dryRun, changes });
        else printChanges(runner, changes, { dryRun, withDiff: dryRun });
        return EXIT.ok;
      }),
    );

  withFiles(withJson(withProject(program.command('diff'))))
    .description('show what applying the files would change; exit code 10 if it would change anything')
    .action(
      runner.action(async (options: FileOptions) => {
        const manifests = await loadManifests(io, requireFiles(options), options.version);
        const changes = await applyManifests(await openScope(io, options), manifests, { dryRun: true });
        const differing = changes.filter(({ outcome }) => outcome !== 'unchanged');
        if (options.json) printJson(io, { changes: differing });
        else printChanges(runner, differing, { dryRun: true, withDiff: true });
        return differing.length > 0 ? EXIT.differs : EXIT.ok;
      }),
    );

  withFiles(withJson(withProject(program.command('delete'))))
    .description('delete a document, policy or service, or everything that the files contain')
    .addArgument(new Argument('[collection]').choices([...RECORD_KINDS]))
    .argument('[name]')
    .option('--dry-run', 'check and change nothing')
    .action(
      runner.action(async (collection: RecordKind | undefined, name: string | undefined, options: FileOptions) => {
        const isByName = collection !== undefined && name !== undefined;
        if (isByName === (options.filename !== undefined)) {
          throw new CliFailure(EXIT.usage, 'Give what to delete: COLLECTION NAME, or -f FILE');
        }
        const dryRun = options.dryRun === true;
        const scope = await openScope(io, options);
        const targets = isByName
          ? [await toTarget(scope, { collection, name, version: options.version })]
          : await readTargets(runner, options);
        const changes = await deleteTargets(scope, targets, dryRun);
        if (options.json) printJson(io, { dry_run: dryRun, changes });
        else printChanges(runner, changes, { dryRun, withDiff: false });
        return EXIT.ok;
      }),
    );
}

function withFiles(command: Command): Command {
  return command
    .option('-f, --filename <file>', 'file, folder, or - for standard input; may be repeated', collect)
    .option('--version <version>', 'Envoy version of documents that name none');
}

function requireFiles({ filename }: FileOptions): string[] {
  if (!filename) throw new CliFailure(EXIT.usage, 'Give the files: -f FILE, -f FOLDER or -f -');
  return filename;
}

function printChanges(
  { io }: Runner,
  changes: readonly Change[],
  { dryRun, withDiff }: { dryRun: boolean; withDiff: boolean },
): void {
  for (const { kind, name, version, outcome, diff, warnings } of changes) {
    const verb = dryRun && outcome !== 'unchanged' ? `would be ${outcome}` : outcome;
    print(io, printable(`${kind}/${name}${version ? ` (${version})` : ''} ${verb}`));
    if (withDiff) for (const line of diff) print(io, printable(`  ${line}`));
    for (const warning of warnings) note(io, printable(`  warning: ${warning}`));
  }
}

interface Target {
  readonly collection: RecordKind;
  readonly name: string;
  readonly version: string | undefined;
}

/** Adds the version to a document that was given without one. Throws if it has several. */
async function toTarget(scope: Scope, { collection, name, version }: Target): Promise<Target> {
  if (collection === 'services' || collection === 'policies') return { collection, name, version: undefined };
  return { collection, name, version: version ?? (await findVersion(scope, collection, name)) };
}

async function readTargets({ io }: Runner, options: FileOptions): Promise<Target[]> {
  const manifests = await loadManifests(io, requireFiles(options), options.version);
  return manifests.map((manifest): Target => {
    if (manifest.kind === 'policy') return { collection: 'policies', name: manifest.name, version: undefined };
    if (manifest.kind === 'service') return { collection: 'services', name: manifest.name, version: undefined };
    const { collection, name, version } = manifest.body as { collection: Collection; name: string; version: string };
    return { collection, name, version };
  });
}

/** Deletes services, then all documents in one request, then policies, so that no reference blocks the next step. */
async function deleteTargets(scope: Scope, targets: readonly Target[], dryRun: boolean): Promise<Change[]> {
  const { connection, project } = scope;
  const query = { project, ...(dryRun && { dry_run: 'true' as const }) };
  const changes: Change[] = [];
  const done = ({ collection, name }: Target): Change => {
    return { kind: collection, name, version: null, outcome: 'deleted', diff: [], warnings: [] };
  };
  for (const target of targets.filter(({ collection }) => collection === 'services')) {
    const id =
      targets.length > 1 ? await findServiceId(scope, target.name) : await requireServiceId(scope, target.name);
    if (id === undefined) continue;
    await connection.call(serviceRoutes.remove, { params: { service_id: id }, query });
    changes.push(done(target));
  }
  const documents = targets.filter(({ version }) => version !== undefined);
  if (documents.length > 0) {
    const { body } = await connection.call(documentRoutes.apply, {
      query: dryRun ? { dry_run: 'true' } : {},
      body: {
        project,
        documents: [],
        delete: documents.map(({ collection, name, version }) => ({
          collection: collection as Collection,
          name,
          version: version ?? '',
        })),
      },
    });
    changes.push(...body.results.map(toChange));
  }
  for (const target of targets.filter(({ collection }) => collection === 'policies')) {
    await connection.call(policyRoutes.remove, { params: { name: target.name }, query });
    changes.push(done(target));
  }
  return changes;
}
