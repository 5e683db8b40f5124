import type { fleet } from '@flotilla/proto';
import { tailLog } from './log-tail.ts';
import type { ManagedService } from './managed-service.ts';
import type { ControlAction, ControlResult } from './types.ts';

const DEFAULT_LINES = 100;
const MAX_LINES = 5_000;

/**
 * Executes a SERVICE command. `restart` stops and starts Envoy and the filter, which closes open connections. `reload`
 * replaces Envoy without refusing connections, and does not restart the filter.
 */
export async function controlService(
  service: ManagedService,
  action: ControlAction,
  options: { lines?: number; settled: () => Promise<fleet.NodeReport> },
): Promise<ControlResult> {
  switch (action) {
    case 'status':
      return { ok: true, report: service.report(), units: service.processes() };
    case 'logs': {
      const lines = Math.max(1, Math.min(options.lines ?? DEFAULT_LINES, MAX_LINES));
      const [envoy, shield] = await Promise.all(
        ['envoy.log', 'shield.log'].map((name) => tailLog(`${service.layout.logDir}/${name}`, lines, 4 * 1024 * 1024)),
      );
      return { ok: true, report: service.report(), logs: { envoy: envoy ?? [], shield: shield ?? [] } };
    }
    case 'restart':
    case 'reload':
      if (service.isStopped) return { ok: false, error: 'the service is stopped; start it', report: service.report() };
      service.envoy.restart(action === 'reload' ? 'graceful' : 'hard');
      if (action === 'restart') service.shield.restart();
      return conclude(await options.settled());
  }
}

function conclude(report: fleet.NodeReport): ControlResult {
  const error = report.error || report.policyError;
  return error === '' ? { ok: true, report } : { ok: false, error, report };
}
