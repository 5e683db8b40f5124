import {
  ApiError,
  type ArchiveRelease,
  type CommandResultRecord,
  type DescriptorSource,
  type HostVersion,
  matchArchive,
  readHostVersions,
  readVersionAction,
  versionRoutes,
} from '@flotilla/contract';
import type { Input } from '../nouns/inputs.ts';
import type { Noun } from '../nouns/noun.ts';
import { act, type Given, list, type Output, type Verb } from '../nouns/verb.ts';
import { renderTable } from '../output.ts';
import type { Scope } from '../records.ts';
import { exitCodeOfOutcomes } from './command-outcomes.ts';
import { ALL, CLIENT, describeFailures, findClients, findGivenClients, nameOf, sendToHosts } from './host-commands.ts';
import { followToSuccess } from './jobs.ts';

const WAF: Input = { flags: '--waf', help: 'of the WAF module instead of Envoy' };
const VERSION: Input = { flags: '<version>' };

/** The versions of the archive and of the hosts. */
export const VERSIONS: Noun = {
  help: 'proxy versions: those of the project, of the archive and of the hosts',
  place: 'project',
  self: list(versionRoutes.list, {
    help: 'proxy versions that documents and services may have, and how many of the project have each',
    columns: {
      version: 'version',
      documents: 'documents',
      services: 'services',
      'checked with': ({ descriptors }) => (descriptors === null ? null : CHECKED_WITH[descriptors]),
    },
  }),
  verbs: {
    prepare: act(
      {
        help: 'let a version that only the archive knows be used for documents: its Envoy is downloaded once, and not run',
        inputs: [VERSION, { flags: '--no-wait', help: 'do not wait until it is prepared' }],
      },
      prepare,
    ),
    releases: act({ help: 'the releases of the archive', inputs: [WAF] }, listReleases),
    list: act({ help: 'the versions on the hosts, and what uses each', inputs: [CLIENT, WAF] }, listOnHosts),
    install: change('install a version on hosts', {
      operation: 'SET_VERSION',
      inputs: [{ flags: '--force', help: 'download it again if the host already has it' }],
    }),
    remove: change('delete a version that nothing on the host uses', { operation: 'REMOVE_VERSION', inputs: [] }),
  },
};

const CHECKED_WITH: Readonly<Record<DescriptorSource, string>> = {
  archive: 'its Envoy, from the archive',
  binary: 'its Envoy, on the controller',
  release: 'this release of the controller',
};

async function prepare(given: Given, { wait }: { readonly wait?: boolean }): Promise<Output> {
  const { scope } = given;
  const version = toVersion(given.values);
  const { body } = await scope.connection.call(versionRoutes.prepare, {
    query: { project: scope.project },
    body: { version },
  });
  const { number } = body.job;
  const watch = `flotilla jobs watch ${number}`;
  if (wait === false) return { json: body, text: `Job ${number} prepares Envoy ${version}: ${watch}` };
  await followToSuccess(given, { number, watch });
  return { json: body, text: `Envoy ${version} can be used for documents and services.` };
}

function toVersion({ version }: Given['values']): string {
  return String(version).replace(/^v/, '');
}

async function listReleases({ scope, values }: Given): Promise<Output> {
  const { body } = await scope.connection.call(versionRoutes.releases, { query: {} });
  const skipped = body.skipped.map(({ at, reason }) => `Left out: ${at} ${reason}.`);
  const stale = body.stale === null ? [] : [`The archive could not be asked (${body.stale}).`];
  const columns = {
    version: ({ version }: ArchiveRelease) => version,
    date: ({ date }: ArchiveRelease) => date?.slice(0, 10) ?? null,
    architectures: ({ binaries }: ArchiveRelease) => binaries.map(({ arch }) => arch).join(', '),
  };
  const notes = [...stale, ...skipped];
  return {
    json: body,
    text: renderTable(columns, values.waf === true ? body.waf : body.envoy),
    ...(notes.length > 0 && { note: notes.join('\n') }),
  };
}

interface Row extends HostVersion {
  readonly client: string;
  readonly archive: string;
}

async function listOnHosts({ scope, values }: Given): Promise<Output> {
  const clients = await findClients(scope, values);
  const connected = clients.filter((one) => one.connected);
  const offline = clients.filter((one) => !one.connected).map(({ name }) => `${name} is not connected.`);
  const results = await sendToHosts(scope, connected, { type: typeOf(values), command: { operation: 'GET_VERSIONS' } });
  const releases = await readReleases(scope, values);
  const rows = results.flatMap((result): Row[] =>
    (readHostVersions(result.outcome === 'done' ? result.result : undefined) ?? []).map((one) => ({
      ...one,
      client: nameOf(result),
      archive: matchArchive(one, releases),
    })),
  );
  const columns = {
    client: ({ client }: Row) => client,
    version: ({ version }: Row) => version,
    'used by': ({ usedBy }: Row) => usedBy.join(', '),
    archive: ({ archive }: Row) => archive,
    sha256: ({ sha256 }: Row) => sha256?.slice(0, 12) ?? null,
    MiB: ({ bytes }: Row) => (bytes === undefined ? null : Math.ceil(bytes / 1024 ** 2)),
  };
  const notes = [...offline, ...describeFailures(results)];
  return {
    json: { results },
    text: renderTable(columns, rows),
    exit: exitCodeOfOutcomes(results),
    ...(notes.length > 0 && { note: notes.join('\n') }),
  };
}

function change(help: string, { operation, inputs }: { operation: string; inputs: readonly Input[] }): Verb {
  return act({ help, inputs: [VERSION, CLIENT, ALL, WAF, ...inputs] }, async ({ scope, values }) => {
    const clients = await findGivenClients(scope, values);
    const force = values.force === true ? { force_download: true } : {};
    const command = { operation, version: toVersion(values), ...force };
    const results = await sendToHosts(scope, clients, { type: typeOf(values), command });
    const done = results.filter(({ outcome }) => outcome === 'done');
    const failures = describeFailures(results);
    return {
      json: { results },
      text: done.map((one) => `${nameOf(one)} ${describeAction(one)}`).join('\n') || undefined,
      exit: exitCodeOfOutcomes(results),
      ...(failures.length > 0 && { note: failures.join('\n') }),
    };
  });
}

/** Undefined: the archive cannot be read, so there is nothing to compare. */
async function readReleases({ connection }: Scope, values: Given['values']) {
  try {
    const { body } = await connection.call(versionRoutes.releases, { query: {} });
    return values.waf === true ? body.waf : body.envoy;
  } catch (error) {
    if (error instanceof ApiError && error.body.code === 'archive.unavailable') return undefined;
    throw error;
  }
}

function typeOf({ waf }: Given['values']): string {
  return waf === true ? 'WAF_VERSION' : 'DATAPLANE_VERSION';
}

function describeAction({ result }: CommandResultRecord): string {
  return (
    readVersionAction(result)
      ?.replace(/^version_/, '')
      .replaceAll('_', ' ') ?? 'done'
  );
}
