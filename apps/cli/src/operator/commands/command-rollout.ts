import {
  type Amount,
  type CallInput,
  type CommandRollout,
  commandRolloutRoutes,
  parseAmount,
} from '@flotilla/contract';
import type { Command } from 'commander';
import { CliFailure, EXIT } from '../exit-codes.ts';
import { note, print, printable, printJson } from '../output.ts';
import { requireClientId, requireServiceId, type Scope } from '../records.ts';
import { parseSeconds } from './fleet.ts';
import { describeJob, exitCodeOf, watchJob } from './jobs.ts';
import { collect, parseObject } from './option-values.ts';
import { writePlanned } from './planned-write.ts';
import type { Runner } from './runner.ts';
import { type CommonOptions, openScope, withJson, withProject } from './scope-options.ts';

interface RolloutOptions extends CommonOptions {
  readonly subType?: string;
  readonly service?: string;
  readonly body?: string;
  readonly client?: string[];
  readonly label?: string[];
  readonly wave?: Amount;
  readonly firstWave?: Amount;
  readonly pause?: number;
  readonly waveTime?: number;
  readonly stopAt?: Amount[];
  readonly watch?: boolean;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

type Body = NonNullable<CallInput<typeof commandRolloutRoutes.start>['body']>;

export function addRolloutCommand(commands: Command, runner: Runner): void {
  withJson(withProject(commands.command('rollout')))
    .description('send a command to clients in waves, e.g. SERVICE --sub-type SUB_RESTART --service web --wave 10%')
    .argument('<type>')
    .option('--sub-type <name>', 'the exact operation of the type')
    .option('--service <name>', 'the service that the command acts on; without clients, those of the service')
    .option('--body <json>', 'further fields of the command')
    .option('--client <name>', 'only this client, by name or id; may be repeated', collect)
    .option('--label <key=value>', 'the clients with this label; may be repeated, all must match', collect)
    .option('--wave <size>', 'clients per wave: a number or a share such as 10%, which is the default', readAmount)
    .option('--first-wave <size>', 'clients in the first wave', readAmount)
    .option('--pause <seconds>', 'time between waves; 0 by default', parseSeconds)
    .option('--wave-time <seconds>', 'how long a wave may take; 600 by default', parseSeconds)
    .option('--stop-at <failures>', 'stop at this number or share of failures; 1 by default', collectAmounts)
    .option('--watch', 'follow the rollout to its end')
    .option('--dry-run', 'only show the waves')
    .option('--yes', 'do not ask')
    .action(runner.action((type: string, options: RolloutOptions) => rollOut(runner, type, options)));
}

async function rollOut(runner: Runner, type: string, options: RolloutOptions) {
  const { io } = runner;
  const scope = await openScope(io, options);
  const body = await readBody(scope, type, options);
  const call = async (isDry: boolean) => {
    const query = { project: scope.project, ...(isDry && { dry_run: 'true' as const }) };
    return (await scope.connection.call(commandRolloutRoutes.start, { query, body })).body;
  };
  const written = await writePlanned(runner, { call, describe, question: 'Start the rollout?', options });
  if (written.kind === 'ended') return written.code;
  const { job } = written.result;
  if (options.watch && job) {
    const ended = await watchJob(io, scope, String(job.number));
    if (options.json) printJson(io, ended);
    else print(io, describeJob(ended));
    return exitCodeOf(ended);
  }
  if (options.json) printJson(io, written.result);
  else if (job) note(io, `Job ${job.number} has started. Follow it with: flotilla jobs watch ${job.number}`);
  return EXIT.ok;
}

async function readBody(scope: Scope, type: string, options: RolloutOptions): Promise<Body> {
  const { service, client, label, wave, firstWave, pause, waveTime, stopAt = [] } = options;
  const command = options.body === undefined ? {} : parseObject(options.body, '--body');
  if (service !== undefined) command.service_id = await requireServiceId(scope, service);
  const clients: string[] = [];
  for (const name of client ?? []) clients.push(await requireClientId(scope, name));
  if (firstWave?.isShare) throw new CliFailure(EXIT.usage, '--first-wave is a number of clients');
  return {
    type,
    sub_type: options.subType ?? '',
    command,
    ...(clients.length > 0 && { clients }),
    ...(label && { labels: label }),
    ...(wave && (wave.isShare ? { wave_percent: wave.value } : { wave_size: wave.value })),
    ...(firstWave && { first_wave: firstWave.value }),
    ...(pause !== undefined && { pause_s: pause }),
    ...(waveTime !== undefined && { wait_s: waveTime }),
    ...Object.fromEntries(
      stopAt.map(({ value, isShare }) => [isShare ? 'stop_at_failed_percent' : 'stop_at_failures', value]),
    ),
  };
}

function readAmount(text: string): Amount {
  const amount = parseAmount(text);
  if (!amount) throw new CliFailure(EXIT.usage, `"${text}" is not a number or a share such as 10%`);
  return amount;
}

function collectAmounts(text: string, previous: readonly Amount[] = []): Amount[] {
  return [...previous, readAmount(text)];
}

function describe({ command, waves }: CommandRollout): string {
  const lines = waves.map(({ clients }, i) => {
    const names = clients.map(({ name, connected }) => (connected ? name : `${name} (offline)`));
    return printable(`  wave ${i + 1}: ${names.join(', ')}`);
  });
  return [command, ...lines].join('\n');
}
