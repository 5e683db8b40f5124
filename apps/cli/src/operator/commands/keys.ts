import { jobRoutes, type KeysView, keyRoutes } from '@flotilla/contract';
import { sleep } from '@flotilla/kit';
import type { Command } from 'commander';
import { Connection } from '../connection.ts';
import { CliFailure, EXIT } from '../exit-codes.ts';
import { note, print, printable, printJson, printList } from '../output.ts';
import { parseLengthS } from './moment.ts';
import { readSecret } from './read-secret.ts';
import type { Runner } from './runner.ts';
import { type CommonOptions, withConnection, withJson } from './scope-options.ts';

interface KeyOptions extends CommonOptions {
  readonly overlap?: string;
  readonly masterKeyStdin?: boolean;
  readonly wait: boolean;
}

const LOOK_EVERY_MS = 500;

/** Keys that secrets at rest are sealed with. For owners of the installation. */
export function addKeyCommands(program: Command, runner: Runner): void {
  const { io } = runner;
  const keys = program.command('keys').description('keys that secrets at rest are sealed with: list, rotate');

  withJson(withConnection(keys.command('list')))
    .description('data keys, and the master keys that open the database')
    .action(
      runner.action(async (options: KeyOptions) => {
        const { body } = await (await Connection.open(io, options)).call(keyRoutes.list, {});
        if (options.json) printJson(io, body);
        else printList(io, { rows: toRows(body), columns: COLUMNS });
        return EXIT.ok;
      }),
    );

  withJson(withConnection(keys.command('rotate')))
    .description('make a new data key and seal all secrets anew with it, or make a new master key')
    .argument('<key>', 'data or master')
    .option('--overlap <time>', 'the master key of before opens the database for so long, such as 1d; 1h unless told')
    .option('--master-key-stdin', 'read the new master key from standard input, where it comes from SVC_MASTER_KEY')
    .option('--no-wait', 'do not wait until all secrets are sealed anew')
    .action(
      runner.action(async (which: string, options: KeyOptions) => {
        const connection = await Connection.open(io, options);
        const { body } = await connection.call(keyRoutes.rotate, { body: await toOrder(runner, which, options) });
        if (body.job && options.wait) await waitForEnd(runner, connection, body.job.number);
        if (options.json) printJson(io, body);
        else if (body.job === null) print(io, 'The master key is changed.');
        else
          print(
            io,
            options.wait
              ? `All secrets are sealed with data key ${body.data_key}; the one of before is gone.`
              : `Data key ${body.data_key} is made. Job ${body.job.number} seals all secrets with it: flotilla jobs watch ${body.job.number} --installation`,
          );
        return EXIT.ok;
      }),
    );
}

async function toOrder({ io }: Runner, which: string, { overlap, masterKeyStdin }: KeyOptions) {
  if (which === 'data') {
    if (overlap !== undefined || masterKeyStdin)
      throw new CliFailure(EXIT.usage, '--overlap and --master-key-stdin are of the master key');
    return { which: 'data' } as const;
  }
  if (which !== 'master') throw new CliFailure(EXIT.usage, `"${which}" is no kind of key: data, master`);
  return {
    which: 'master',
    ...(overlap !== undefined && { overlap_s: parseLengthS(overlap) }),
    ...(masterKeyStdin && { master_key: await readSecret(io) }),
  } as const;
}

/** Says on the side how far it is. */
async function waitForEnd({ io }: Runner, connection: Connection, number: number): Promise<void> {
  let shown = '';
  for (;;) {
    const { body } = await connection.call(jobRoutes.get, { params: { job_id: String(number) }, query: {} });
    if (body.ended_at !== null) {
      if (body.status === 'done') return;
      throw new CliFailure(EXIT.failed, `Job ${number} is ${body.status}: ${body.error?.message ?? ''}`);
    }
    const line = `${body.status}  ${body.progress.percent} %  ${body.step?.name ?? ''}`.trimEnd();
    if (line !== shown) note(io, printable(line));
    shown = line;
    await sleep(LOOK_EVERY_MS, io.signal);
    if (io.signal.aborted)
      throw new CliFailure(
        EXIT.unfinished,
        `Job ${number} goes on without being watched: flotilla jobs watch ${number} --installation`,
      );
  }
}

interface KeyRow {
  readonly key: string;
  readonly state: string;
  readonly made: string;
  readonly ends: string | null;
}

const COLUMNS = [
  { title: 'key', value: (row: KeyRow) => row.key },
  { title: 'state', value: (row: KeyRow) => row.state },
  { title: 'made', value: (row: KeyRow) => row.made },
  { title: 'ends', value: (row: KeyRow) => row.ends },
];

function toRows({ data_keys, master_keys, master_from }: KeysView): KeyRow[] {
  return [
    ...data_keys.map(({ id, state, created_at }) => ({ key: `data ${id}`, state, made: created_at, ends: null })),
    ...master_keys.map(({ created_at, expires_at }) => ({
      key: 'master',
      state: expires_at === null ? `from ${master_from}` : 'of before',
      made: created_at,
      ends: expires_at,
    })),
  ];
}
