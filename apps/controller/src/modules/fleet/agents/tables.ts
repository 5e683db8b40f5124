import type { NullableJson, NullableTimestamp } from '@flotilla/db';
import type { Generated } from 'kysely';

declare module '@flotilla/db' {
  interface Tables {
    node_states: NodeStatesTable;
  }
}

interface NodeStatesTable {
  client_id: string;
  service_id: string;
  report: NullableJson;
  reported_at: NullableTimestamp;
  generation: Generated<number>;
  phase: string | null;
  envoy_version: string | null;
  policy_digest: string | null;
  rollout_state: string | null;
  snapshot_version: string | null;
  resources: NullableJson;
  rollout_at: NullableTimestamp;
}
