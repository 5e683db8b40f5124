import type { fleet } from '@flotilla/proto';
import type {
  ArchiveOffer,
  InstalledVersion,
  InstallRequest,
  ServiceHost,
  VersionKind,
  VersionProblem,
} from '../host/index.ts';
import type { CommandOutcome } from './outcome.ts';

interface VersionCall {
  readonly host: ServiceHost;
  readonly payload: Readonly<Record<string, unknown>>;
}

type Status =
  | 'SUCCESS'
  | 'DOWNLOAD_FAILED'
  | 'EXTRACTION_FAILED'
  | 'PERMISSION_FAILED'
  | 'VERSION_NOT_FOUND'
  | 'NETWORK_ERROR'
  | 'DIRECTORY_ERROR'
  | 'REFUSED';

type ErrorType =
  | 'version_not_available'
  | 'download_error'
  | 'network_connectivity'
  | 'filesystem_permission'
  | 'directory_access'
  | 'version_in_use';

const FAILURES: Readonly<Record<VersionProblem['code'], readonly [Status, ErrorType]>> = {
  unreachable: ['NETWORK_ERROR', 'network_connectivity'],
  missing: ['DOWNLOAD_FAILED', 'download_error'],
  address: ['DOWNLOAD_FAILED', 'download_error'],
  too_large: ['DOWNLOAD_FAILED', 'download_error'],
  digest: ['DOWNLOAD_FAILED', 'download_error'],
  aborted: ['DOWNLOAD_FAILED', 'download_error'],
  wrong_architecture: ['EXTRACTION_FAILED', 'download_error'],
  not_usable: ['EXTRACTION_FAILED', 'download_error'],
  not_listed: ['VERSION_NOT_FOUND', 'version_not_available'],
  unavailable: ['DOWNLOAD_FAILED', 'download_error'],
  permission: ['PERMISSION_FAILED', 'filesystem_permission'],
  disk: ['DIRECTORY_ERROR', 'directory_access'],
  quota: ['DIRECTORY_ERROR', 'directory_access'],
  in_use: ['REFUSED', 'version_in_use'],
  not_removable: ['REFUSED', 'directory_access'],
  shared: ['REFUSED', 'directory_access'],
};
/** Failures that another attempt may not have. */
const PASSING: ReadonlyArray<VersionProblem['code']> = ['unreachable', 'missing', 'aborted', 'unavailable'];

export async function getVersions(
  kind: VersionKind,
  { host, reports }: VersionCall & { readonly reports: readonly fleet.NodeReport[] },
): Promise<CommandOutcome> {
  const installed = await host.versions.list(kind);
  return {
    outcome: 'done',
    result: {
      operation: 'GET_VERSIONS',
      status: 'SUCCESS' satisfies Status,
      ...describeInstalled(installed),
      ...(kind === 'envoy' && {
        running: reports.map(({ serviceId, envoyVersion }) => ({ service_id: serviceId, version: envoyVersion })),
      }),
      operation_summary: { action: 'versions_listed' },
    },
  };
}

/** Installs a version. A command that is run again after a restart of the agent does not download it again. */
export async function setVersion(
  kind: VersionKind,
  { commandId }: fleet.Command,
  { host, payload, signal, onStep }: VersionCall & Required<Pick<InstallRequest, 'signal' | 'onStep'>>,
): Promise<CommandOutcome> {
  const version = readVersion(payload);
  const force = payload.force_download === true;
  const wanted = { requested_version: version, force_download: force };
  const before = await findInstalled(host, kind, version);
  const request = { kind, version, force, offer: readOffer(payload), id: commandId, signal, onStep };
  const changed = await host.versions.install(request);
  const all = await host.versions.list(kind);
  if (!changed.ok) return fail('SET_VERSION', changed.error, { ...wanted, ...describeInstalled(all) });
  const { installed, removed } = changed.value;
  const isKept = before !== undefined && before.installedBy !== commandId && !force;
  return {
    outcome: 'done',
    result: {
      operation: 'SET_VERSION',
      status: 'SUCCESS' satisfies Status,
      ...wanted,
      installed_version: installed.version,
      download_path: installed.path,
      ...describeInstalled(all),
      removed_versions: removed,
      operation_summary: { action: isKept ? 'version_kept' : 'version_installed' },
    },
  };
}

export async function removeVersion(kind: VersionKind, { host, payload }: VersionCall): Promise<CommandOutcome> {
  const version = readVersion(payload);
  const removed = await host.versions.remove(kind, version);
  const rest = { requested_version: version, ...describeInstalled(await host.versions.list(kind)) };
  if (!removed.ok) return fail('REMOVE_VERSION', removed.error, rest);
  const action = removed.value ? 'version_removed' : 'version_absent';
  return {
    outcome: 'done',
    result: {
      operation: 'REMOVE_VERSION',
      status: 'SUCCESS' satisfies Status,
      ...rest,
      operation_summary: { action },
    },
  };
}

function fail(operation: string, { code, message }: VersionProblem, rest: object): CommandOutcome {
  const [status, error_type] = FAILURES[code];
  const result = {
    operation,
    status,
    error_type,
    error_message: message,
    ...rest,
    retry_recommended: PASSING.includes(code),
    permission_issue: code === 'permission',
    disk_issue: code === 'disk' || code === 'quota',
    operation_summary: { action: 'nothing_changed' },
  };
  return { outcome: status === 'REFUSED' ? 'refused' : 'failed', code: `version.${code}`, message, result };
}

function describeInstalled(installed: readonly InstalledVersion[]) {
  return {
    downloaded_versions: [...new Set(installed.map(({ version }) => version))],
    installed: installed.map(({ version, path, source, sha256, bytes, usedBy }) => ({
      version,
      path,
      source,
      sha256,
      ...(bytes !== undefined && { bytes }),
      used_by: usedBy,
    })),
  };
}

async function findInstalled(host: ServiceHost, kind: VersionKind, version: string) {
  return (await host.versions.list(kind)).find((one) => one.version === version);
}

function readVersion({ version }: VersionCall['payload']): string {
  return typeof version === 'string' && /^\d{1,3}\.\d{1,3}\.\d{1,4}$/.test(version)
    ? version.split('.').map(Number).join('.')
    : '';
}

/** The digest is that of the controller. */
function readOffer({ archive }: VersionCall['payload']): ArchiveOffer | undefined {
  if (typeof archive !== 'object' || archive === null) return undefined;
  const { url, sha256, missing } = archive as Readonly<Record<string, unknown>>;
  if (typeof url === 'string' && typeof sha256 === 'string') return { url, sha256 };
  return { missing: typeof missing === 'string' ? missing : 'the offer of the release archive cannot be read' };
}
