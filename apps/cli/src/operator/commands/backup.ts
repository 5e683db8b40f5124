import { type BackupView, backupRoutes, RESTORE_OUTCOMES, type RestoreSummary } from '@flotilla/contract';
import { sleep } from '@flotilla/kit';
import { CliFailure, EXIT } from '../exit-codes.ts';
import { openGivenFile } from '../given-file.ts';
import { saveNewFile } from '../new-file.ts';
import { createLookup } from '../nouns/lookup.ts';
import type { Noun } from '../nouns/noun.ts';
import { act, type Given, get, idAs, list, type Output, send } from '../nouns/verb.ts';
import { age, note, printable } from '../output.ts';
import { DESCRIPTION, FILE } from './inputs.ts';
import { followJob } from './jobs.ts';

const POLL_INTERVAL_MS = 500;

const backups = createLookup(backupRoutes.list, { one: 'backup', name: ({ id }) => id });
const BACKUP = { flags: '<backup>', to: 'backup_id', lookup: backups } as const;
/** Sets the backup in the body instead of the path. */
const CHOSEN = { ...BACKUP, to: 'backup' } as const;
const OPENING = [
  { flags: '--passphrase-stdin', help: 'read the passphrase from standard input', to: 'passphrase', isStdin: true },
  { flags: '--trust-key <fingerprint>', help: 'trust the other installation that signed it', to: 'trust_key' },
] as const;
export const BACKUP_COMMANDS: Noun = {
  help: 'backups of a project or of the installation: create, download, inspect, restore',
  place: 'project or installation',
  verbs: {
    list: list(backupRoutes.list, {
      help: 'backups, newest first',
      columns: {
        id: 'id',
        status: 'status',
        created: age('created_at'),
        how: 'origin',
        protection: (row) => (row.secret_free ? 'without secrets' : row.protection),
        bytes: 'bytes',
        by: 'created_by',
        verified: 'verified_at',
      },
    }),
    create: act(
      {
        help: 'create a backup: encrypted for this installation, with a passphrase, or without secrets',
        route: backupRoutes.export,
        inputs: [
          { flags: '--secret-free', help: 'leave out passwords, keys and all other secrets', to: 'secret_free' },
          {
            flags: '--passphrase-stdin',
            help: 'encrypt with the passphrase from standard input (owners of the installation)',
            to: 'passphrase',
            isStdin: true,
          },
          DESCRIPTION,
        ],
      },
      async (given) => {
        const { reach, request } = given;
        const body = { secret_free: false, ...request.body };
        const started = await reach.connection.call(backupRoutes.export, { query: queryOf(given), body });
        const created = await waitUntilReady(given, started.body.backup);
        return { json: created, text: `Backup ${created.id} was created and verified: ${created.bytes} bytes.` };
      },
    ),
    get: get(backupRoutes.get, {
      help: 'one backup, with its sections',
      inputs: [BACKUP],
      text: (backup) => JSON.stringify(backup, null, 2),
    }),
    download: act({ help: 'download the file of a backup', inputs: [BACKUP, FILE] }, async (given) => {
      const id = given.id('backup');
      const file = String(given.values.file);
      const request = { params: { backup_id: id }, query: queryOf(given) };
      await saveNewFile(given.io, await given.reach.connection.open(backupRoutes.download, request), file);
      return { json: { backup: id, file }, text: `Backup ${id} is in ${file}.` };
    }),
    upload: act({ help: 'upload the file of a backup, to inspect and restore it', inputs: [FILE] }, async (given) => {
      const file = await openGivenFile(String(given.values.file));
      const { body } = await given.reach.connection.call(backupRoutes.upload, { query: queryOf(given), file });
      const text = `Backup ${body.id} was uploaded but not verified yet. Inspect it with: flotilla backup inspect ${body.id}`;
      return { json: body, text };
    }),
    inspect: send(backupRoutes.validate, {
      help: 'read a whole backup and verify every piece, digest and the signature',
      inputs: [CHOSEN, ...OPENING],
      text: describeBackup,
    }),
    restore: act(
      {
        help: 'restore a backup into the project; the current state of the project is saved as a restore point first',
        place: 'project',
        route: backupRoutes.import,
        inputs: [
          CHOSEN,
          { flags: '--replace', help: 'replace existing records instead of skipping them' },
          { flags: '--dry-run', help: 'run every check and show what would be created and changed; changes nothing' },
          ...OPENING,
        ],
      },
      async (given, { replace, dryRun }: { replace?: boolean; dryRun?: boolean }) => {
        const body = {
          ...given.request.body,
          backup: given.id('backup'),
          on_conflict: replace ? ('replace' as const) : ('skip' as const),
        };
        return dryRun ? previewRestore(given, body) : restore(given, body);
      },
    ),
    delete: send(backupRoutes.delete, {
      help: 'delete a backup with its file',
      inputs: [BACKUP],
      json: idAs('deleted', 'backup'),
      text: (_, { id }) => `Backup ${id('backup')} deleted.`,
    }),
  },
};

const queryOf = ({ reach: { project } }: Given) => (project === undefined ? {} : { project });

interface RestoreBody {
  readonly backup: string;
  readonly on_conflict: 'skip' | 'replace';
}

async function previewRestore({ scope: { connection, project } }: Given, body: RestoreBody): Promise<Output> {
  const query = { project, dry_run: 'true' as const };
  const { body: preview } = await connection.call(backupRoutes.import, { query, body });
  if (!('dry_run' in preview)) throw new Error('the controller started a restore instead of a dry run');
  const exit = preview.counts.refused > 0 ? EXIT.failed : EXIT.ok;
  return { json: preview, text: describeSummary(preview), exit };
}

async function restore({ io, scope }: Given, body: RestoreBody): Promise<Output> {
  const { connection, project } = scope;
  const { body: started } = await connection.call(backupRoutes.import, { query: { project }, body });
  if ('dry_run' in started) throw new Error('the controller made a dry run instead of a restore');
  const job = await followJob(io, scope, started.job.id);
  if (job.status !== 'done')
    throw new CliFailure(EXIT.failed, `Nothing was restored. ${job.error?.message ?? `The job is ${job.status}.`}`);
  const params = { restore_id: started.restore };
  const { body: done } = await connection.call(backupRoutes.restore, { params, query: { project } });
  const lines = [
    ...(done.summary ? [describeSummary(done.summary)] : []),
    `The state of the project before the restore is backup ${done.restore_point}.`,
  ];
  return { json: done, text: lines.join('\n') };
}

async function waitUntilReady(given: Given, { id }: BackupView): Promise<BackupView> {
  const { io, reach } = given;
  note(io, `Backup ${id} is being created ...`);
  for (;;) {
    const request = { params: { backup_id: id }, query: queryOf(given) };
    const { body: backup } = await reach.connection.call(backupRoutes.get, request);
    if (backup.status === 'ready') return backup;
    if (backup.status === 'failed')
      throw new CliFailure(EXIT.failed, 'The backup failed. See the error of its job with: flotilla jobs list');
    await sleep(POLL_INTERVAL_MS, io.signal);
    if (io.signal.aborted) throw new CliFailure(EXIT.unfinished, 'Stopped waiting. The backup continues.');
  }
}

function describeBackup({ id, content, sections, verified_at, restore_test }: BackupView): string {
  const what = content?.kind === 'project' ? `project ${content.project?.name}` : 'the installation';
  const own = content?.own ? ' (this installation)' : '';
  return [
    printable(`Backup ${id} of ${what}`),
    `created ${content?.made_at} by ${content?.app_version}, signed by ${content?.signer}${own}`,
    `verified ${verified_at}`,
    ...(restore_test ? [printable(`tested ${restore_test.at}: ${restore_test.message}`)] : []),
    ...sections.map(({ name, rows }) => `  ${name}: ${rows}`),
  ].join('\n');
}

/** Prints one line for each result except unchanged records, then the counts. */
function describeSummary({ counts, results }: RestoreSummary): string {
  const lines = results
    .filter(({ outcome }) => outcome !== 'unchanged')
    .flatMap(({ kind, name, outcome, reason, missing_secrets: missing = [] }) => [
      `${outcome} ${kind} ${name}${reason === undefined ? '' : `: ${reason}`}`,
      ...missing.map((path) => `  the backup does not contain its secret ${path}`),
    ]);
  const total = RESTORE_OUTCOMES.map((outcome) => `${counts[outcome]} ${outcome}`).join(', ');
  return [...lines, total].map(printable).join('\n');
}
