import {
  type ApplianceStatus,
  type CommandResultRecord,
  HEALTH_SEVERITIES,
  readApplianceStatus,
  readSupportBundle,
  readSupportBundles,
  type SupportBundle,
} from '@flotilla/contract';
import { sleep } from '@flotilla/kit';
import { CliFailure, EXIT } from '../exit-codes.ts';
import type { Input } from '../nouns/inputs.ts';
import type { Noun } from '../nouns/noun.ts';
import { act, type Given, type Output } from '../nouns/verb.ts';
import { note, printable, renderTable } from '../output.ts';
import { downloadBundle } from './bundle-download.ts';
import { exitCodeOfOutcomes } from './command-outcomes.ts';
import { CLIENT, describeFailures, findClients, nameOf, sendToHosts } from './host-commands.ts';
import { FILE } from './inputs.ts';
import { fleetClients } from './lookups.ts';

const HOST: Input = { flags: '<client>', help: 'the client', lookup: fleetClients };
const BUNDLE: Input = { flags: '[bundle]', help: 'the id of the bundle; the newest one by default' };
const POLL_MS = 1000;

/** APPLIANCE: hosts describe themselves and create support bundles. */
export const APPLIANCE: Noun = {
  help: 'status of hosts, and their support bundles',
  place: 'project',
  verbs: {
    status: act({ help: 'health, slots, firewall and versions of hosts', inputs: [CLIENT] }, showStatus),
    bundle: {
      help: 'support bundles: create, list, download, delete',
      place: 'project',
      verbs: {
        list: act({ help: 'the support bundles of a host, newest first', inputs: [HOST] }, async (given) => {
          const rows = await listBundles(given);
          return { json: { items: rows }, text: renderTable(COLUMNS, rows), ...(rows.length === 0 && NOTHING) };
        }),
        create: act(
          {
            help: 'create a support bundle on a host and wait for its end',
            inputs: [HOST, { flags: '--no-wait', help: 'do not wait for its end' }],
          },
          create,
        ),
        download: act(
          {
            help: 'download a support bundle into a new file; the same command continues an interrupted download',
            inputs: [HOST, FILE, BUNDLE],
          },
          async (given) => {
            const id = await findBundle(given);
            const file = String(given.values.file);
            const { bytes } = await downloadBundle(given, { clientId: given.id('client'), id, file });
            return { json: { artifact_id: id, file, bytes }, text: `The support bundle ${id} is in ${file}.` };
          },
        ),
        delete: act(
          { help: 'delete a support bundle on its host', inputs: [HOST, { ...BUNDLE, flags: '<bundle>' }] },
          async (given) => {
            const artifact_id = String(given.values.bundle);
            const { result } = await ask(given, 'SUB_BUNDLE_DELETE', { artifact_id });
            const isDeleted = (result as { deleted?: unknown } | null)?.deleted === true;
            const text = isDeleted ? `The support bundle ${artifact_id} was deleted.` : 'The host has no such bundle.';
            return { json: { artifact_id, deleted: isDeleted }, text };
          },
        ),
      },
    },
  },
};

const NOTHING = { note: 'Nothing found.' };
const COLUMNS = {
  id: ({ id }: SupportBundle) => id,
  state: ({ state }: SupportBundle) => state,
  created: ({ createdAt }: SupportBundle) => createdAt,
  expires: ({ expiresAt }: SupportBundle) => expiresAt ?? null,
  bytes: ({ bytes }: SupportBundle) => bytes ?? null,
  note: (bundle: SupportBundle) => describeProgress(bundle) ?? bundle.reason ?? null,
};

async function showStatus({ scope, values }: Given): Promise<Output> {
  const clients = await findClients(scope, values);
  const connected = clients.filter((one) => one.connected);
  const results = await sendToHosts(scope, connected, { type: 'APPLIANCE', sub_type: 'SUB_STATUS', command: {} });
  const parts = results.flatMap((result) => {
    const status = result.outcome === 'done' ? readApplianceStatus(result.result) : undefined;
    return status ? [describeStatus(nameOf(result), status, readSupportBundles(result.result) ?? [])] : [];
  });
  const offline = clients.filter((one) => !one.connected).map(({ name }) => `${name} is not connected.`);
  const notes = [...offline, ...describeFailures(results)];
  return {
    json: { results },
    text: parts.join('\n\n') || undefined,
    exit: exitCodeOfOutcomes(results),
    ...(notes.length > 0 && { note: notes.join('\n') }),
  };
}

/** The status of one host, as indented lines below its name. */
function describeStatus(name: string, status: ApplianceStatus, bundles: readonly SupportBundle[]): string {
  const { bootSlots, upgrade, health, firewall, compliance, network, components, unavailable } = status;
  const worst = HEALTH_SEVERITIES.findLast((one) => health.some(({ severity }) => severity === one));
  const lines = [
    `health: ${worst ?? 'unknown'}`,
    ...health.filter(({ severity }) => severity !== 'OK').map((one) => `  ${one.severity} ${one.area}: ${one.message}`),
    ...(upgrade ? [`restart needed: ${upgrade.rebootRequired ? upgrade.reasons.join(' ') : 'no'}`] : []),
    ...(bootSlots?.slots ?? []).map(
      (one) =>
        `slot ${one.slot}: ${one.name} ${one.version}${one.booted ? ', running' : ''}${one.next ? ', next' : ''}`,
    ),
    ...(network?.isUnconfirmed
      ? [`network: a change is not confirmed; it is taken back in ${network.revertInS ?? '?'} s`]
      : []),
    ...(firewall ? [`firewall: ${firewall.rules} rules in ${firewall.chains.length} chains`] : []),
    ...compliance.filter(({ ok }) => !ok).map((one) => `not hardened: ${one.check} is ${one.value} (${one.source})`),
    `versions: ${components.map((one) => `${one.name} ${one.version}`).join(', ')}`,
    ...bundles.map((one) => `bundle ${one.id}: ${one.state}`),
    ...unavailable.map((one) => `${one.block} is not known: ${one.reason}`),
  ];
  return [name, ...lines.map((line) => `  ${line}`)].map(printable).join('\n');
}

async function create(given: Given): Promise<Output> {
  const { result } = await ask(given, 'SUB_BUNDLE_CREATE', {});
  const started = readSupportBundle(result);
  if (!started) throw new CliFailure(EXIT.failed, 'The answer of the host cannot be read. Update its agent.');
  if (given.values.wait === false)
    return { json: started, text: `The support bundle ${started.id} is being created.`, exit: EXIT.ok };
  const ended = await waitForEnd(given, started.id);
  if (ended.state !== 'READY')
    throw new CliFailure(EXIT.failed, `The support bundle was not created: ${ended.reason ?? ended.state}`);
  const next = `flotilla appliance bundle download ${given.name('client')} FILE`;
  return { json: ended, text: `The support bundle ${ended.id} is ready: ${ended.bytes} bytes.`, note: `Next: ${next}` };
}

async function waitForEnd(given: Given, id: string): Promise<SupportBundle> {
  const { io } = given;
  let shown = '';
  for (;;) {
    const bundle = (await listBundles(given)).find((one) => one.id === id);
    if (!bundle) throw new CliFailure(EXIT.failed, `The support bundle ${id} was deleted meanwhile.`);
    if (bundle.state !== 'RUNNING') return bundle;
    const progress = describeProgress(bundle);
    if (progress !== undefined && progress !== shown) note(io, printable(progress));
    shown = progress ?? shown;
    await sleep(POLL_MS, io.signal);
    if (io.signal.aborted) throw new CliFailure(EXIT.unfinished, 'Stopped waiting. The host continues.');
  }
}

function describeProgress({ progress }: SupportBundle): string | undefined {
  return progress && `${progress.done} of ${progress.total}: ${progress.step}`;
}

async function findBundle(given: Given): Promise<string> {
  if (typeof given.values.bundle === 'string') return given.values.bundle;
  const ready = (await listBundles(given)).find(({ state }) => state === 'READY');
  if (ready) return ready.id;
  const name = given.name('client');
  throw new CliFailure(
    EXIT.failed,
    `Client ${name} has no support bundle that is ready. Create one: flotilla appliance bundle create ${name}`,
  );
}

async function listBundles(given: Given): Promise<readonly SupportBundle[]> {
  const bundles = readSupportBundles((await ask(given, 'SUB_BUNDLE_LIST', {})).result);
  if (!bundles) throw new CliFailure(EXIT.failed, 'The answer of the host cannot be read. Update its agent.');
  return bundles;
}

/** Sends a command to the named host and returns its result. */
async function ask(given: Given, subType: string, command: Record<string, unknown>): Promise<CommandResultRecord> {
  const scope = given.scope;
  const clients = await findClients(scope, { client: [given.id('client')] });
  const results = await sendToHosts(scope, clients, { type: 'APPLIANCE', sub_type: subType, command });
  const [result] = results;
  if (result?.outcome === 'done') return result;
  throw new CliFailure(exitCodeOfOutcomes(results), describeFailures(results).join('\n') || 'There is no such client.');
}
