import type { AuditTables } from './audit.ts';
import type { BackupTables } from './backups.ts';
import type { DocumentTables } from './documents.ts';
import type { EnrolmentTables } from './enrolment.ts';
import type { FleetTables } from './fleet.ts';
import type { FoundationTables } from './foundation.ts';
import type { JobTables } from './jobs.ts';
import type { KeyTables } from './keys.ts';
import type { MetricsTables } from './metrics.ts';
import type { PermissionTables } from './permissions.ts';
import type { SessionTables } from './sessions.ts';
import type { SettingTables } from './settings.ts';
import type { ShieldEventTables } from './shield-events.ts';
import type { SignInTables } from './sign-ins.ts';
import type { ThreatIntelTables } from './threat-intel.ts';

/** Every table of the database, one interface per feature. */
export interface Tables
  extends AuditTables,
    BackupTables,
    DocumentTables,
    EnrolmentTables,
    FleetTables,
    FoundationTables,
    JobTables,
    KeyTables,
    MetricsTables,
    PermissionTables,
    SessionTables,
    SettingTables,
    ThreatIntelTables,
    ShieldEventTables,
    SignInTables {}
