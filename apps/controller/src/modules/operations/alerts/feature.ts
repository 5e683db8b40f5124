import { defineFeature } from '../../../platform/features/index.ts';
import { alertChannelContext } from './encryption-context.ts';
import { measureDeliveries } from './metrics.ts';
import { migration } from './migration.ts';
import { migration as unknownMigration } from './migration-unknown.ts';
import { createAlertRoutes } from './routes.ts';
import { createRuleRoutes } from './rules/routes.ts';
import './tables.ts';
import { forgetOldAlerts, forgetOldDeliveries } from './tidy-store.ts';

export const alertsFeature = defineFeature({
  name: 'operations/alerts',
  after: ['configuration/projects'],
  routes: () => [...createAlertRoutes(), ...createRuleRoutes()],
  measure: measureDeliveries,
  migrations: { '0045-alerts': migration, '0046-alerts-unknown': unknownMigration },
  tables: {
    alert_channels: {
      scope: 'policies',
      backup: {
        withoutSecrets: { sealed: null, secret_updated_at: null },
        restored: { delivered_at: null, failing_since: null, failures: 0, retry_at: null, last_error: null },
      },
      encrypted: [
        { column: 'sealed', kind: 'bytes', primaryKey: ['id'], context: (row) => alertChannelContext(String(row.id)) },
      ],
    },
    alert_rules: { scope: 'policies', backup: true },
    alert_rule_channels: { scope: 'policies', backup: true },
    alert_projects: { scope: 'policies', backup: true },
    alerts: { scope: 'policies', backup: { none: 'the rules find again what is wrong with the restored fleet' } },
    alert_deliveries: {
      scope: 'policies',
      backup: { none: 'they are messages about alerts, which backups leave out' },
    },
  },
  tidy: { alerts: forgetOldAlerts, 'alert deliveries': forgetOldDeliveries },
});
