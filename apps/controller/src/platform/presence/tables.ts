import type { NullableJson, Timestamp } from '@flotilla/db';
import type { Generated } from 'kysely';

declare module '@flotilla/db' {
  interface Tables {
    controllers: ControllersTable;
    leases: LeasesTable;
  }
}

interface ControllersTable {
  id: string;
  started_at: Timestamp;
  seen_at: Timestamp;
  /** Increases with every start of a controller. */
  epoch: Generated<number>;
  hostname: Generated<string>;
  version: Generated<string>;
  roles: Generated<string[]>;
  /** Null until the controller listens. */
  rest_address: string | null;
  grpc_address: string | null;
  load: NullableJson;
}

interface LeasesTable {
  name: string;
  /** Id of a controller. */
  holder: string;
  fence: Generated<number>;
  acquired_at: Timestamp;
  until: Timestamp;
}
