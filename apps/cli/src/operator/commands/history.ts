import type { Command } from 'commander';
import { EXIT } from '../exit-codes.ts';
import { openHistory, type Revision } from '../history.ts';
import { age, type Columns, print, printJson, printList } from '../output.ts';
import type { RecordKind } from '../records.ts';
import { parseRevision, type RecordOptions, withRecord } from './record-options.ts';
import type { Runner } from './runner.ts';
import { openScope } from './scope-options.ts';

interface HistoryOptions extends RecordOptions {
  readonly dryRun?: boolean;
}

export function addHistoryCommands(program: Command, runner: Runner): void {
  const { io } = runner;

  withRecord(program.command('history'))
    .description('who wrote which revision of a document, policy or service, newest first')
    .option('--revision <number>', 'print this revision in the form that apply accepts', parseRevision)
    .action(
      runner.action(async (kind: RecordKind, name: string, options: HistoryOptions) => {
        const history = await openHistory(await openScope(io, options), { kind, name, version: options.version });
        if (options.revision !== undefined) {
          const { record, text } = await history.read(options.revision);
          if (options.json) printJson(io, record);
          else print(io, text);
          return EXIT.ok;
        }
        const _now = Date.now();
        const columns: Columns<Revision> = {
          revision: 'revision',
          by: 'by',
          written: age('at'),
          at: 'at',
        };
        printList(io, { rows: await history.list(), columns }, options);
        return EXIT.ok;
      }),
    );

  withRecord(program.command('revert'))
    .description('make an earlier revision of a document, policy or service the newest one')
    .argument('<revision>', 'number from flotilla history', parseRevision)
    .option('--dry-run', 'check and change nothing')
    .action(
      runner.answer(async (kind: RecordKind, name: string, revision: number, options: HistoryOptions) => {
        const dryRun = options.dryRun === true;
        const history = await openHistory(await openScope(io, options), { kind, name, version: options.version });
        const json = await history.restore(revision, { dryRun });
        return { json, text: `${kind}/${name} ${dryRun ? 'can be' : 'was'} restored to revision ${revision}` };
      }),
    );
}
