import { commandRoutes, publishRoutes, type UnpublishResult } from '@flotilla/contract';
import type { Command } from 'commander';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { note, print, printable, printJson } from '../output.ts';
import type { Scope } from '../records.ts';
import { parseSeconds } from './fleet.ts';
import { writePlanned } from './planned-write.ts';
import { describeRollout, followRollout } from './rollout.ts';
import type { Runner } from './runner.ts';
import { type CommonOptions, openScope, withJson, withProject } from './scope-options.ts';

interface UnpublishOptions extends CommonOptions {
  readonly path?: string;
  readonly listener?: string;
  readonly version?: string;
  readonly wait: number;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

const WAIT_S = 60;

export function addUnpublishCommand(program: Command, runner: Runner): void {
  withJson(withProject(program.command('unpublish')))
    .description('remove what publishing created for hosts, except what others use, and wait until it is gone')
    .argument('<host...>', 'as it was published')
    .option('--path <prefix>', 'only this path of the hosts')
    .option('--listener <name>', 'only at this listener')
    .option('--version <version>', 'exact version of Envoy')
    .option('--wait <seconds>', 'how long to wait until it is gone', parseSeconds, WAIT_S)
    .option('--dry-run', 'show the plan only')
    .option('--yes', 'do not ask for a confirmation')
    .action(
      runner.action(async (hosts: string[], options: UnpublishOptions) => {
        const scope = await openScope(runner.io, options);
        return unpublish(runner, scope, { hosts, options });
      }),
    );
}

async function unpublish(
  runner: Runner,
  scope: Scope,
  { hosts, options }: { hosts: readonly string[]; options: UnpublishOptions },
): Promise<ExitCode> {
  const { connection, project } = scope;
  const { path, listener, version } = options;
  const body = { hosts: [...hosts], path, listener, version };
  const call = async (dryRun: boolean) =>
    (
      await connection.call(publishRoutes.unpublish, {
        query: { project, ...(dryRun && { dry_run: 'true' as const }) },
        body,
      })
    ).body;
  const written = await writePlanned(runner, { call, describe, question: 'Unpublish it?', options });
  if (written.kind === 'ended') return written.code;
  return follow(runner, scope, { removed: written.result, options });
}

/** Waits until the proxies of changed documents and services have the change, and clients have removed deleted services. */
async function follow(
  runner: Runner,
  scope: Scope,
  { removed, options }: { removed: UnpublishResult; options: UnpublishOptions },
): Promise<ExitCode> {
  const { io } = runner;
  const until = Date.now() + options.wait * 1000;
  const left = () => Math.max(0, until - Date.now());
  const codes: ExitCode[] = [];
  for (const changed of listChanged(removed)) {
    const rollout = await followRollout(runner, scope, { ...changed, wait: left() / 1000 });
    if (rollout.state === 'live' || rollout.state === 'unreached') continue;
    if (!options.json)
      note(io, `${printable(`${changed.collection}/${changed.name}`)}:\n${describeRollout(rollout, Date.now())}`);
    codes.push(rollout.state === 'refused' ? EXIT.failed : EXIT.unfinished);
  }
  for (const { command_id: id, client_name: client } of removed.clients) {
    if (id === null) continue;
    const query = { project: scope.project, wait_ms: left() };
    const { body } = await scope.connection.call(commandRoutes.read, { params: { command_id: id }, query });
    if (body.outcome === 'done') continue;
    if (!options.json) note(io, printable(`${client}: ${body.outcome} ${body.error?.message ?? ''}`.trim()));
    codes.push(body.outcome === 'pending' || body.outcome === 'running' ? EXIT.unfinished : EXIT.failed);
  }
  if (options.json) printJson(io, removed);
  else if (codes.length === 0) print(io, 'Removed.');
  return codes.find((code) => code === EXIT.failed) ?? codes[0] ?? EXIT.ok;
}

/** A virtual host that is deleted changes its route configuration. */
function listChanged({ documents, changed_services: services, version }: UnpublishResult) {
  const routes = documents.flatMap(({ collection, name }) =>
    collection === 'virtual_hosts' ? [{ collection: 'routes' as const, name: name.split('/', 1)[0] ?? '' }] : [],
  );
  const deleted = new Set(
    documents.flatMap((one) => (one.outcome === 'deleted' ? [`${one.collection}/${one.name}`] : [])),
  );
  const all = [...documents, ...routes].filter(({ collection, name }) => !deleted.has(`${collection}/${name}`));
  return [
    ...new Map(all.map(({ collection, name }) => [`${collection}/${name}`, { collection, name, version }])).values(),
    ...services.flatMap(({ name, outcome }) =>
      outcome === 'changed' ? [{ collection: 'services' as const, name }] : [],
    ),
  ];
}

function describe({ documents, changed_services: services, clients, warnings, ...plan }: UnpublishResult): string {
  const others = (plan.services ?? [])
    .filter(({ id }) => !services.some((one) => one.id === id))
    .map(({ name }) => name);
  const lines = [
    ...documents.map(({ outcome, collection, name }) => `${outcome.padEnd(9)}  ${collection}/${name}`),
    ...services.map(({ outcome, name }) => `${outcome.padEnd(9)}  services/${name}`),
    ...clients.map(
      ({ client_name, service, connected }) =>
        `undeploy   ${service} on ${client_name}${connected ? '' : ' (offline)'}`,
    ),
    ...(others.length > 0 ? [`also affects  ${others.join(', ')}`] : []),
    ...warnings.map((warning) => `warning: ${warning}`),
  ];
  return lines.map(printable).join('\n');
}
