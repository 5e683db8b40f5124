import * as z from 'zod';
import { defineFeature } from '../../../platform/features/index.ts';
import { addressPairsMigration } from './address-pairs-migration.ts';
import { haKeysContext } from './encryption-context.ts';
import { HA_CHANGED, HA_REPORTED } from './events.ts';
import { forgetOldHistory } from './history-store.ts';
import { migration } from './migration.ts';
import { forgetLostAddresses } from './sync/address-pair-store.ts';
import { HA_SYNC_CHANGED } from './sync/events.ts';
import './tables.ts';

const pairSchema = z.object({ project_id: z.string(), pair_id: z.string() });

const readPair = (payload: unknown) => {
  const { data } = pairSchema.safeParse(payload);
  return data ? [{ project: data.project_id, event: { topic: 'ha_pair' as const, id: data.pair_id } }] : [];
};

export const haFeature = defineFeature({
  name: 'edge/ha',
  after: ['platform/keyring', 'fleet/clients', 'fleet/services'],
  migrations: { '0055-ha': migration, '0059-ha-address-pairs': addressPairsMigration },
  news: { [HA_CHANGED]: readPair, [HA_REPORTED]: readPair, [HA_SYNC_CHANGED]: readPair },
  tidy: { ha_history: forgetOldHistory, ha_address_pairs: forgetLostAddresses },
  tables: {
    ha_pairs: {
      scope: 'policies',
      backup: { withoutSecrets: { sealed_keys: null }, restored: { handover_until: null } },
      encrypted: [
        {
          column: 'sealed_keys',
          kind: 'bytes',
          primaryKey: ['id'],
          context: (row) => haKeysContext(String(row.id)),
        },
      ],
    },
    ha_members: { scope: 'policies', backup: { restored: { given_digest: null } } },
    ha_reports: { scope: 'policies', backup: { none: 'they arrive every few seconds' } },
    ha_role_changes: { scope: 'policies', backup: true },
    ha_terms: { scope: 'policies', backup: true },
    ha_sync: { scope: 'policies', backup: { restored: { command_id: null } } },
    ha_address_pairs: { scope: 'policies', backup: true },
  },
});
