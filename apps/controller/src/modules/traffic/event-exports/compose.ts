import type { EventExportTrial } from '@flotilla/contract';
import { type Clock, systemClock, toErrorMessage } from '@flotilla/kit';
import type { Route } from '../../../platform/http/route.ts';
import type { Platform } from '../../../platform/platform.ts';
import { toTestDocument } from './document.ts';
import { EventExporter, type StoreAccess } from './exporter.ts';
import { countSent } from './metrics.ts';
import { Outgoing } from './outgoing.ts';
import { createExportRoutes } from './routes.ts';
import { openTarget } from './secrets.ts';

type ExportPlatform = Pick<
  Platform,
  'config' | 'database' | 'keyring' | 'settings' | 'logger' | 'metrics' | 'lifecycle'
>;

/** Begins to send events to the exports of all projects. Returns the routes that need it. */
export async function startEventExports(
  { config, database: { db }, keyring, settings, logger, metrics, lifecycle }: ExportPlatform,
  { events, clock = systemClock }: { readonly events: StoreAccess; readonly clock?: Clock },
): Promise<Route[]> {
  const outgoing = new Outgoing();
  lifecycle.add(() => outgoing.close());
  await outgoing.start(settings);
  const attempts = countSent(metrics);
  const exporter = new EventExporter({
    db,
    keyring,
    outgoing,
    events,
    hasStore: config.eventStore.kind !== 'off',
    onAttempt: (kind, outcome) => attempts.inc({ kind, outcome }),
    logger,
    clock,
  });
  lifecycle.add(() => exporter.close());
  const stopped = new AbortController();
  lifecycle.add(async () => stopped.abort());
  return createExportRoutes({
    keyring,
    requireAddress: (target) => outgoing.requireAddress(target),
    sendTest: async (row, by): Promise<EventExportTrial> => {
      const begunMs = clock.monotonic();
      const document = toTestDocument(row.project_id, { at: new Date(clock.now()), by });
      const error = await sendOne();
      const latency_ms = Math.round(clock.monotonic() - begunMs);
      return { ok: error === undefined, latency_ms, message: error ?? 'the receiver accepted the test message' };

      async function sendOne(): Promise<string | undefined> {
        try {
          return await outgoing.send(openTarget(keyring, row), [document], stopped.signal);
        } catch (cause) {
          return toErrorMessage(cause);
        }
      }
    },
  });
}
