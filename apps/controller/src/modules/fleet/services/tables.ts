import type { JsonText, Timestamp } from '@flotilla/db';
import type { Generated } from 'kysely';

declare module '@flotilla/db' {
  interface Tables {
    services: ServicesTable;
    service_revisions: ServiceRevisionsTable;
    service_targets: ServiceTargetsTable;
    admin_ports: AdminPortsTable;
  }
}

interface ServicesTable {
  id: string;
  project_id: string;
  name: string;
  version: string;
  bootstrap: string;
  listeners: string[];
  policies: string[];
  shield_threads: number;
  shield_xff_trusted_hops: number;
  api_discovery: Generated<boolean>;
  created_at: Timestamp;
  updated_at: Timestamp;
  updated_by: string;
  revision: Generated<number>;
}

interface ServiceRevisionsTable {
  service_id: string;
  revision: number;
  at: Timestamp;
  by_name: string;
  document: JsonText<Record<string, unknown>>;
}

interface ServiceTargetsTable {
  service_id: string;
  client_id: string;
  position: number;
  addresses: string[];
  deployed: Generated<boolean>;
  run_state: Generated<'running' | 'stopped'>;
  generation: number;
  envoy_version: string | null;
  drain_time_s: number | null;
  content_digest: string | null;
  content_generation: number | null;
  sealed_content: Buffer | null;
}

interface AdminPortsTable {
  client_id: string;
  port: number;
  service_id: string;
}
