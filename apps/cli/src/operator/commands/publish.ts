import {
  type PublishInput,
  type PublishResult,
  parseUpstreamUrl,
  publishRoutes,
  type UpstreamUrl,
} from '@flotilla/contract';
import type { Command } from 'commander';
import { CliFailure, EXIT, type ExitCode } from '../exit-codes.ts';
import { note, print, printable, printJson } from '../output.ts';
import { listClients, requireClientId, type Scope } from '../records.ts';
import { parseSeconds } from './fleet.ts';
import { collect } from './option-values.ts';
import { writePlanned } from './planned-write.ts';
import { describePlan } from './publish-plan.ts';
import { describeRollout, followRollout } from './rollout.ts';
import type { Runner } from './runner.ts';
import { type CommonOptions, openScope, withJson, withProject } from './scope-options.ts';

interface PublishOptions extends CommonOptions {
  readonly host: string[];
  readonly path: string;
  readonly port: number;
  readonly address?: string;
  readonly listener?: string;
  readonly certificate?: string;
  readonly client?: string[];
  readonly clientAddress?: string[];
  readonly policy?: string;
  readonly service?: string;
  readonly sni?: string;
  readonly authorities?: string;
  readonly healthCheck?: string;
  readonly version?: string;
  readonly wait: number;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

const WAIT_S = 60;
const PORT = 8080;

export function addPublishCommand(program: Command, runner: Runner): void {
  withJson(withProject(program.command('publish')))
    .description('publish upstreams at a host: write what is needed, deploy it, and wait until it is live')
    .argument('<upstream...>', 'such as http://127.0.0.1:9000 or unix:/run/app.sock')
    .requiredOption('--host <name>', 'host of the requests; may be repeated', collect)
    .option('--path <prefix>', 'path of the requests', '/')
    .option('--port <number>', 'port of a new listener', Number, PORT)
    .option('--address <address>', 'address of a new listener, or @client (default: 0.0.0.0)')
    .option('--listener <name>', 'an existing listener')
    .option('--certificate <secret>', 'secret with the certificate of a new listener, which then speaks HTTPS')
    .option('--client <name>', 'by name or id; may be repeated; the only client by default', collect)
    .option('--client-address <address>', 'address of the service on its client; may be repeated', collect)
    .option('--policy <name>', 'policy for the service')
    .option('--service <name>', 'service that gets a new listener')
    .option('--sni <name>', 'name for TLS to the upstreams')
    .option('--authorities <secret>', 'secret with the authorities that are trusted for the upstreams')
    .option('--health-check <path>', 'check the upstreams with requests for this path')
    .option('--version <version>', 'exact version of Envoy')
    .option('--wait <seconds>', 'how long to wait until it is live', parseSeconds, WAIT_S)
    .option('--dry-run', 'show the plan only')
    .option('--yes', 'do not ask for a confirmation')
    .action(
      runner.action(async (urls: string[], options: PublishOptions) => {
        const scope = await openScope(runner.io, options);
        return publish(runner, scope, { body: await toBody(scope, urls, options), options });
      }),
    );
}

async function publish(
  runner: Runner,
  scope: Scope,
  { body, options }: { body: PublishInput; options: PublishOptions },
): Promise<ExitCode> {
  const { connection, project } = scope;
  const call = async (dryRun: boolean) =>
    (
      await connection.call(publishRoutes.publish, {
        query: { project, ...(dryRun && { dry_run: 'true' as const }) },
        body,
      })
    ).body;
  const written = await writePlanned(runner, { call, describe: describePlan, question: 'Publish it?', options });
  if (written.kind === 'ended') return written.code;
  return report(runner, scope, { published: written.result, options });
}

/** Waits until every document is live on every client, and ends with the line to try. */
async function report(
  runner: Runner,
  scope: Scope,
  { published, options }: { published: PublishResult; options: PublishOptions },
): Promise<ExitCode> {
  const { io } = runner;
  const until = Date.now() + options.wait * 1000;
  let code: ExitCode = EXIT.ok;
  for (const one of listRollouts(published)) {
    const rollout = await followRollout(runner, scope, { ...one, wait: Math.max(0, until - Date.now()) / 1000 });
    if (rollout.state === 'live') continue;
    if (!options.json) note(io, printable(`${one.collection}/${one.name}:`));
    if (!options.json) note(io, describeRollout(rollout, Date.now()));
    code = rollout.state === 'refused' ? EXIT.failed : EXIT.unfinished;
    if (code === EXIT.failed) break;
  }
  if (options.json) printJson(io, published);
  else if (code === EXIT.ok) print(io, `Live: ${published.url}\n${published.curl}`);
  else note(io, `Not live yet. flotilla rollout services ${published.service.name} shows the progress.`);
  return code;
}

/** In the order in which Envoy takes them: the service last, because it includes the deployment. */
function listRollouts({ documents, service, version }: PublishResult) {
  const shown = documents.filter(({ collection }) => collection !== 'bootstrap');
  return [
    ...shown.map(({ collection, name }) => ({ collection, name, version })),
    { collection: 'services' as const, name: service.name },
  ];
}

async function toBody(scope: Scope, urls: readonly string[], options: PublishOptions): Promise<PublishInput> {
  const upstreams = urls.map(readUpstream);
  const tls = new Set(upstreams.map((upstream) => upstream.tls));
  if (tls.size > 1) throw new CliFailure(EXIT.usage, 'Give either http:// or https:// upstreams, not both.');
  const { address, certificate, listener, port, sni, authorities, healthCheck } = options;
  return {
    upstreams: upstreams.map(({ tls: _, ...upstream }) => upstream),
    ...(tls.has(true) && { upstream_tls: { sni, authorities } }),
    ...(healthCheck !== undefined && { health_check: { path: healthCheck } }),
    hosts: options.host,
    path: options.path,
    listener: listener === undefined ? { port, certificate, ...toAddress(address) } : { existing: listener },
    clients: await findClients(scope, options),
    policy: options.policy,
    service: options.service,
    version: options.version,
  };
}

function toAddress(address: string | undefined): { address?: string } {
  return address === undefined ? {} : { address };
}

function readUpstream(text: string): UpstreamUrl {
  const parsed = parseUpstreamUrl(text);
  if (!parsed.ok) throw new CliFailure(EXIT.usage, `The upstream ${printable(text)} ${parsed.message}.`);
  return parsed.value;
}

async function findClients(scope: Scope, { client, clientAddress, listener }: PublishOptions) {
  const addresses = clientAddress && { addresses: clientAddress };
  if (client) {
    if (addresses && client.length > 1)
      throw new CliFailure(EXIT.usage, 'Give --client-address with one --client only.');
    const ids = await Promise.all(client.map((name) => requireClientId(scope, name)));
    return ids.map((client_id) => ({ client_id, ...addresses }));
  }
  if (listener !== undefined) return [];
  const [only, ...others] = await listClients(scope);
  if (!only) throw new CliFailure(EXIT.failed, 'The project has no client. Enrol one: flotilla enrolment create.');
  if (others.length > 0) throw new CliFailure(EXIT.usage, 'The project has several clients. Choose with --client.');
  return [{ client_id: only.client_id, ...addresses }];
}
