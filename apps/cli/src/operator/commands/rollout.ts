import { type Rollout, type RolloutNode, rolloutRoutes } from '@flotilla/contract';
import { sleep } from '@flotilla/kit';
import type { Command } from 'commander';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { age, type Columns, print, printJson, renderTable } from '../output.ts';
import { findVersion, type RecordKind, type Scope } from '../records.ts';
import { parseSeconds } from './fleet.ts';
import { parseRevision, type RecordOptions, withRecord } from './record-options.ts';
import type { Runner } from './runner.ts';
import { openScope } from './scope-options.ts';

interface RolloutOptions extends RecordOptions {
  readonly wait?: number;
}

interface RolloutRequest extends Pick<RolloutOptions, 'version' | 'revision' | 'wait'> {
  readonly collection: RecordKind;
  readonly name: string;
}

const POLL_INTERVAL_MS = 500;

export function addRolloutCommand(program: Command, runner: Runner): void {
  const { io } = runner;
  withRecord(program.command('rollout'))
    .description('the progress of a document, policy or service on its nodes; exit code 7 while it is in progress')
    .option('--revision <number>', 'the newest by default', parseRevision)
    .option('--wait <seconds>', 'how long to wait for its end', parseSeconds)
    .action(
      runner.action(async (collection: RecordKind, name: string, options: RolloutOptions) => {
        const scope = await openScope(io, options);
        const rollout = await followRollout(runner, scope, { ...options, collection, name });
        if (options.json) printJson(io, rollout);
        else print(io, describeRollout(rollout, Date.now()));
        return exitCodeOf(rollout);
      }),
    );
}

/** Waits until the rollout has settled, the wait time is over or Ctrl-C is pressed. */
export async function followRollout({ io }: Runner, scope: Scope, request: RolloutRequest): Promise<Rollout> {
  const { collection, name, revision, ...options } = request;
  const isDocument = collection !== 'policies' && collection !== 'services';
  const version = isDocument ? (options.version ?? (await findVersion(scope, collection, name))) : undefined;
  const query = { project: scope.project, collection, name, version, revision };
  const until = Date.now() + (options.wait ?? 0) * 1000;
  for (;;) {
    const { body } = await scope.connection.call(rolloutRoutes.read, { query });
    if (body.settled || Date.now() >= until || io.signal.aborted) return body;
    await sleep(POLL_INTERVAL_MS, io.signal);
  }
}

function exitCodeOf({ state }: Rollout): ExitCode {
  if (state === 'refused') return EXIT.failed;
  return state === 'live' || state === 'unreached' ? EXIT.ok : EXIT.unfinished;
}

export function describeRollout(
  { state, revision, current_revision: current, superseded, nodes }: Rollout,
  _now: number,
): string {
  const newer = superseded ? `; revision ${current} contains it and later changes` : '';
  const columns: Columns<RolloutNode> = {
    service: (row: RolloutNode) => row.service.name,
    client: 'client_name',
    state: 'state',
    'last change': age('since'),
    reason: 'reason',
  };
  const table = nodes.length > 0 ? `\n${renderTable(columns, nodes)}` : '';
  return `Revision ${revision} is ${state.replace('_', ' ')}${newer}${table}`;
}
