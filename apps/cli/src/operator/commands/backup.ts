import { type BackupView, backupRoutes } from '@flotilla/contract';
import { sleep } from '@flotilla/kit';
import type { Command } from 'commander';
import { CliFailure, EXIT } from '../exit-codes.ts';
import { openGivenFile } from '../given-file.ts';
import { saveNewFile } from '../new-file.ts';
import { formatAge, note, printable, printJson } from '../output.ts';
import { collectPages, PAGE_SIZE } from '../paging.ts';
import { type OpeningOptions, readOpening, readPassphrase, withOpening } from './backup-opening.ts';
import { addRestoreCommands } from './backup-restore.ts';
import type { Runner } from './runner.ts';
import { openPlace, type PlaceOptions, type Reach, withJson, withProject } from './scope-options.ts';

interface BackupOptions extends OpeningOptions, PlaceOptions {
  readonly secretFree?: boolean;
  readonly description?: string;
}

const LOOK_EVERY_MS = 500;

/** Backups of a project or of the whole installation. */
export function addBackupCommands(program: Command, runner: Runner): void {
  const { io } = runner;
  const backup = program.command('backup').description('backups: make, fetch, look at, restore');

  withBackupScope(backup.command('list'))
    .description('backups, newest first')
    .action(
      runner.list(createColumns, async (options: BackupOptions) => await listBackups(await openPlace(io, options))),
    );

  withBackupScope(backup.command('create'))
    .description('make a backup: sealed for this installation, by pass phrase, or without secrets')
    .option('--secret-free', 'leave out passwords, keys and everything else that is secret')
    .option('--passphrase-stdin', 'encrypt by the pass phrase on standard input (owners of the installation)')
    .option('--description <text>')
    .action(
      runner.answer(async (options: BackupOptions) => {
        const scope = await openPlace(io, options);
        const body = {
          secret_free: options.secretFree ?? false,
          ...(await readPassphrase(runner, options)),
          ...(options.description !== undefined && { description: options.description }),
        };
        const asked = await scope.connection.call(backupRoutes.export, { query: queryOf(scope), body });
        const made = await waitUntilMade(runner, scope, asked.body.backup);
        return { json: made, text: `Backup ${made.id} is made and was read again whole: ${made.bytes} bytes.` };
      }),
    );

  withBackupScope(backup.command('get'))
    .description('one backup, with its sections')
    .argument('<backup>')
    .action(
      runner.action(async (id: string, options: BackupOptions) => {
        printJson(io, await readBackup(await openPlace(io, options), id));
        return EXIT.ok;
      }),
    );

  withBackupScope(backup.command('download'))
    .description('fetch the file of a backup')
    .argument('<backup>')
    .argument('<file>')
    .action(
      runner.answer(async (id: string, file: string, options: BackupOptions) => {
        const scope = await openPlace(io, options);
        const answer = await scope.connection.open(backupRoutes.download, {
          params: { backup_id: id },
          query: queryOf(scope),
        });
        await saveNewFile(io, answer, file);
        return { json: { backup: id, file }, text: `Backup ${id} is in ${file}.` };
      }),
    );

  withBackupScope(backup.command('upload'))
    .description('bring the file of a backup, to be looked at and restored')
    .argument('<file>')
    .action(
      runner.answer(async (file: string, options: BackupOptions) => {
        const given = await openGivenFile(file);
        const scope = await openPlace(io, options);
        const { body } = await scope.connection.call(backupRoutes.upload, {
          query: queryOf(scope),
          file: given,
        });
        return {
          json: body,
          text: `Backup ${body.id} is taken, and not read yet. Look at it with: flotilla backup inspect ${body.id}`,
        };
      }),
    );

  withOpening(withBackupScope(backup.command('inspect')))
    .description('read a backup whole and prove it: every piece, digest and the signature')
    .argument('<backup>')
    .action(
      runner.answer(async (id: string, options: BackupOptions) => {
        const scope = await openPlace(io, options);
        const body = { backup: id, ...(await readOpening(runner, options)) };
        const checked = await scope.connection.call(backupRoutes.validate, { query: queryOf(scope), body });
        return { json: checked.body, text: describeBackup(checked.body) };
      }),
    );

  addRestoreCommands(backup, runner);

  withBackupScope(backup.command('delete'))
    .description('delete a backup with its file')
    .argument('<backup>')
    .action(
      runner.answer(async (id: string, options: BackupOptions) => {
        const scope = await openPlace(io, options);
        await scope.connection.call(backupRoutes.delete, { params: { backup_id: id }, query: queryOf(scope) });
        return { json: { deleted: id }, text: `Backup ${id} deleted.` };
      }),
    );
}

export function listBackups(scope: Reach): Promise<BackupView[]> {
  return collectPages(async (cursor) => {
    const query = { ...queryOf(scope), limit: PAGE_SIZE, cursor };
    return (await scope.connection.call(backupRoutes.list, { query })).body;
  });
}

function withBackupScope(command: Command): Command {
  return withJson(withProject(command)).option('--installation', 'of the whole installation, instead of a project');
}

const queryOf = ({ project }: Reach) => (project === undefined ? {} : { project });

async function readBackup(scope: Reach, id: string): Promise<BackupView> {
  return (await scope.connection.call(backupRoutes.get, { params: { backup_id: id }, query: queryOf(scope) })).body;
}

async function waitUntilMade({ io }: Runner, scope: Reach, asked: BackupView): Promise<BackupView> {
  note(io, `Backup ${asked.id} is being made ...`);
  for (;;) {
    const backup = await readBackup(scope, asked.id);
    if (backup.status === 'ready') return backup;
    if (backup.status === 'failed') throw new CliFailure(EXIT.failed, 'The backup has failed. Its job says why.');
    await sleep(LOOK_EVERY_MS, io.signal);
    if (io.signal.aborted) throw new CliFailure(EXIT.unfinished, 'The backup goes on without being watched.');
  }
}

function createColumns(now: number) {
  return [
    { title: 'id', value: (row: BackupView) => row.id },
    { title: 'status', value: (row: BackupView) => row.status },
    { title: 'made', value: (row: BackupView) => formatAge(row.created_at, now) },
    { title: 'how', value: (row: BackupView) => row.origin },
    { title: 'protection', value: (row: BackupView) => (row.secret_free ? 'without secrets' : row.protection) },
    { title: 'bytes', value: (row: BackupView) => row.bytes },
    { title: 'by', value: (row: BackupView) => row.created_by },
    { title: 'read whole', value: (row: BackupView) => row.verified_at },
  ];
}

function describeBackup({ id, content, sections, verified_at, restore_test }: BackupView): string {
  return [
    printable(
      `Backup ${id} of ${content?.kind === 'project' ? `project ${content.project?.name}` : 'the installation'}`,
    ),
    `made ${content?.made_at} by ${content?.app_version}, signed by ${content?.signer}${content?.own ? ' (this installation)' : ''}`,
    `read whole ${verified_at}`,
    ...(restore_test ? [printable(`tried out ${restore_test.at}: ${restore_test.message}`)] : []),
    ...sections.map(({ name, rows }) => `  ${name}: ${rows}`),
  ].join('\n');
}
