import { dirname, join } from 'node:path';
import { makeFolder, toErrorMessage, writeFileAtomically } from '@flotilla/kit';
import { fleet } from '@flotilla/proto';
import { askEnvoy } from '../../envoy-admin/ask-envoy.ts';
import type { ServiceSocket } from '../../host/service-socket.ts';
import type { BundleFolder } from './bundle-folder.ts';
import type { BundleService } from './order.ts';

/** Questions that only the agent can answer or ask. The process that creates a bundle cannot. */
export interface LiveAnswers {
  status(signal: AbortSignal): Promise<unknown>;
  reports(): readonly fleet.NodeReport[];
  services(): ReadonlyArray<BundleService & { readonly serviceId: string }>;
  adminSocket(serviceId: string): ServiceSocket | undefined;
}

const ENVOY_PATHS = ['/config_dump', '/clusters', '/listeners', '/server_info', '/stats'] as const;
const SERVICES_MAX = 32;
const ANSWER_MS = 15_000;

/** Writes the answers of the agent and of its Envoys, without secrets, into the folder of the bundle. */
export async function writeLiveAnswers(
  { parts }: Pick<BundleFolder, 'parts'>,
  live: LiveAnswers,
  signal: AbortSignal,
): Promise<void> {
  const write = async (name: string, value: unknown) => {
    signal.throwIfAborted();
    const path = join(parts, name);
    await makeFolder(dirname(path), 0o700);
    await writeFileAtomically(path, JSON.stringify(value), { mode: 0o600 });
  };
  await write('status.json', await live.status(signal));
  for (const { serviceId, key } of live.services().slice(0, SERVICES_MAX)) {
    const report = live.reports().find((one) => one.serviceId === serviceId);
    if (report) await write(`services/${key}/report.json`, toPlainReport(report));
    const socket = live.adminSocket(serviceId);
    if (!socket) continue;
    for (const path of ENVOY_PATHS) await write(`services/${key}/envoy${path}.json`, await ask(socket, path, signal));
  }
}

async function ask(socket: ServiceSocket, path: string, signal: AbortSignal): Promise<unknown> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]);
  try {
    return (await askEnvoy(socket, { method: 'GET', path, queries: [] }, limit)).body;
  } catch (error) {
    signal.throwIfAborted();
    return { unavailable: toErrorMessage(error) };
  }
}

function toPlainReport(report: fleet.NodeReport) {
  return {
    service_id: report.serviceId,
    generation: String(report.generation),
    phase: fleet.NodePhase[report.phase],
    envoy_version: report.envoyVersion,
    bootstrap_digest: report.bootstrapDigest,
    policy_digest: report.policyDigest,
    restarts: report.restarts,
    error: report.error,
    policy_error: report.policyError,
    admin_error: report.adminError,
    listeners: report.listeners.map(({ name, serving, address, error }) => ({ name, serving, address, error })),
  };
}
