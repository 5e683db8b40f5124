import { sleep } from '@flotilla/kit';
import { fleet } from '@flotilla/proto';
import { readListenerPorts, type ServiceHost } from '../host/index.ts';
import type { RunOptions } from './handler.ts';
import type { CommandOutcome } from './outcome.ts';
import { toReportResult } from './results.ts';
import { setVersion } from './versions.ts';

/** Until then a port that is not served has an error, or belongs to another service. */
const PORT_WAIT_MS = 20_000;
const PORT_POLL_MS = 100;

/**
 * Moves a service to another version of Envoy. The version is installed first. The desired state, which arrived before the command,
 * has the version and the drain time; the command waits until the service runs it and serves the port.
 */
export async function upgradeListener(command: fleet.Command, options: RunOptions): Promise<CommandOutcome> {
  const { payload, host, generation, signal } = options;
  const { from_version: from, to_version: to, port, service: name, drain_time_seconds } = payload;
  const about = { name, from, to, port: port ?? null, graceful: true, drain_time_seconds };
  const installed = await setVersion('envoy', command, { ...options, payload: { ...payload, version: to } });
  if (installed.outcome !== 'done') return { ...installed, result: { ...about, install: installed.result } };
  const report = await host.settled(command.serviceId, generation, signal);
  const result = { ...about, install: installed.result, status: toReportResult(report) };
  const problem = findProblem(report, String(to)) ?? (await findPortProblem(command, { host, port, signal }));
  return problem ? { outcome: 'failed', ...problem, result } : { outcome: 'done', result };
}

interface Problem {
  readonly code: string;
  readonly message: string;
}

function findProblem(report: fleet.NodeReport, to: string): Problem | undefined {
  if (report.removed) return { code: 'service.removed', message: 'the service has been removed from this host' };
  if (report.error !== '' || report.phase === fleet.NodePhase.FAILED) {
    return { code: 'upgrade.not_live', message: report.error || `Envoy ${to} is not running` };
  }
  if (report.phase === fleet.NodePhase.STOPPED || report.envoyVersion === to) return undefined;
  const message = `a newer change was made meanwhile; Envoy ${report.envoyVersion || '(none)'} runs instead of ${to}`;
  return { code: 'upgrade.not_live', message };
}

async function findPortProblem(
  { serviceId }: fleet.Command,
  { host, port, signal }: { readonly host: ServiceHost; readonly port: unknown; readonly signal: AbortSignal },
): Promise<Problem | undefined> {
  if (typeof port !== 'number') return undefined;
  const until = performance.now() + PORT_WAIT_MS;
  for (;;) {
    signal.throwIfAborted();
    const admin = host.adminSocket(serviceId);
    const ports = admin ? await readListenerPorts(admin) : [];
    if (ports.includes(port)) return undefined;
    if (!admin || performance.now() > until) {
      const serves = admin ? `it serves ${ports.join(', ') || 'no port'}` : 'no Envoy runs';
      return { code: 'upgrade.port_not_served', message: `the new Envoy does not serve port ${port}: ${serves}` };
    }
    await sleep(PORT_POLL_MS, signal);
  }
}
