import { type Rollout, type RolloutNode, rolloutRoutes } from '@flotilla/contract';
import { sleep } from '@flotilla/kit';
import type { Command } from 'commander';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { formatAge, print, printJson, renderTable } from '../output.ts';
import { findVersion, type RecordKind, type Scope } from '../records.ts';
import { parseSeconds } from './fleet.ts';
import { parseRevision, type RecordOptions, withRecord } from './record-options.ts';
import type { Runner } from './runner.ts';
import { openScope } from './scope-options.ts';

interface RolloutOptions extends RecordOptions {
  readonly wait?: number;
}

interface Asked extends RolloutOptions {
  readonly collection: RecordKind;
  readonly name: string;
}

const LOOK_EVERY_MS = 500;

export function addRolloutCommand(program: Command, runner: Runner): void {
  const { io } = runner;
  withRecord(program.command('rollout'))
    .description(
      'how far a document, policy or service has come on the nodes that it reaches; 7 while it is on its way',
    )
    .option('--revision <number>', 'the newest unless told', parseRevision)
    .option('--wait <seconds>', 'wait that long for its end', parseSeconds)
    .action(
      runner.action(async (collection: RecordKind, name: string, options: RolloutOptions) => {
        const scope = await openScope(io, options);
        const rollout = await followRollout(runner, scope, { ...options, collection, name });
        if (options.json) printJson(io, rollout);
        else print(io, describe(rollout, Date.now()));
        return exitCodeOf(rollout);
      }),
    );
}

/** As it stands, or where it stands when nothing more happens by itself, the wait is over or the terminal says so. */
async function followRollout({ io }: Runner, scope: Scope, asked: Asked): Promise<Rollout> {
  const { collection, name, revision, ...options } = asked;
  const isDocument = collection !== 'policies' && collection !== 'services';
  const version = isDocument ? (options.version ?? (await findVersion(scope, collection, name))) : undefined;
  const query = { project: scope.project, collection, name, version, revision };
  const until = Date.now() + (options.wait ?? 0) * 1000;
  for (;;) {
    const { body } = await scope.connection.call(rolloutRoutes.read, { query });
    if (body.settled || Date.now() >= until || io.signal.aborted) return body;
    await sleep(LOOK_EVERY_MS, io.signal);
  }
}

function exitCodeOf({ state }: Rollout): ExitCode {
  if (state === 'refused') return EXIT.failed;
  return state === 'live' || state === 'unreached' ? EXIT.ok : EXIT.unfinished;
}

function describe({ state, revision, current_revision: current, superseded, nodes }: Rollout, now: number): string {
  const newer = superseded ? `; revision ${current} holds it and what came after` : '';
  const columns = [
    { title: 'service', value: (row: RolloutNode) => row.service.name },
    { title: 'client', value: (row: RolloutNode) => row.client_name },
    { title: 'state', value: (row: RolloutNode) => row.state },
    { title: 'heard', value: (row: RolloutNode) => formatAge(row.since, now) },
    { title: 'reason', value: (row: RolloutNode) => row.reason },
  ];
  const table = nodes.length > 0 ? `\n${renderTable(columns, nodes)}` : '';
  return `Revision ${revision} is ${state.replace('_', ' ')}${newer}${table}`;
}
