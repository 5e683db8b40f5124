import type { Timestamp } from '@flotilla/db';

declare module '@flotilla/db' {
  interface Tables {
    forwarder_configs: ForwarderConfigsTable;
  }
}

export type ForwarderKind = 'syslog' | 'logshipper';

interface ForwarderConfigsTable {
  client_id: string;
  project_id: string;
  kind: ForwarderKind;
  sealed: Buffer | null;
  revision: number;
  updated_at: Timestamp;
  updated_by: string;
}
