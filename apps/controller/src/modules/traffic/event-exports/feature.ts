import { defineFeature } from '../../../platform/features/index.ts';
import { pruneArrivals } from './arrival-store.ts';
import { eventExportContext } from './encryption-context.ts';
import { measureExports } from './metrics.ts';
import { migration } from './migration.ts';
import './tables.ts';

const FROM_TRAFFIC = { none: 'it is about events that arrive, which a restored installation gets again' };

export const eventExportsFeature = defineFeature({
  name: 'traffic/event-exports',
  after: ['configuration/projects', 'security/shield-events'],
  migrations: { '0065-event-exports': migration },
  measure: measureExports,
  tables: {
    event_export_heads: { scope: 'policies', backup: FROM_TRAFFIC },
    event_arrivals: { scope: 'policies', backup: FROM_TRAFFIC },
    event_exports: {
      scope: 'policies',
      backup: {
        withoutSecrets: { sealed: null, secret_updated_at: null },
        // A restored export begins with the next event.
        restored: {
          position: 0,
          cursor: null,
          total: 0,
          total_at_start: 0,
          sent_events: 0,
          lost_events: 0,
          lost_at: null,
          delivered_at: null,
          failing_since: null,
          failures: 0,
          retry_at: null,
          last_error: null,
          holder: null,
          leased_until: null,
        },
      },
      encrypted: [
        { column: 'sealed', kind: 'bytes', primaryKey: ['id'], context: (row) => eventExportContext(String(row.id)) },
      ],
    },
  },
  tidy: { 'event arrivals': pruneArrivals },
});
