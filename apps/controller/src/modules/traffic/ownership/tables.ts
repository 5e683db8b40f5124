import type { ApiOwnerOverride, ApiOwnerRule } from '@flotilla/contract';
import type { JsonText, Timestamp } from '@flotilla/db';

declare module '@flotilla/db' {
  interface Tables {
    api_owner_rules: ApiOwnerRulesTable;
    api_owner_overrides: ApiOwnerOverridesTable;
  }
}

/** A project without a row has no rules. */
interface ApiOwnerRulesTable {
  project_id: string;
  rules: JsonText<readonly ApiOwnerRule[]>;
  revision: number;
  updated_at: Timestamp;
  updated_by: string;
}

/** The operation may no longer exist, or be part of another one. */
interface ApiOwnerOverridesTable {
  project_id: string;
  operation_id: string;
  given: JsonText<ApiOwnerOverride>;
  updated_at: Timestamp;
  updated_by: string;
}
