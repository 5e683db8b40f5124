import type { DocumentTables } from './documents.ts';
import type { EnrolmentTables } from './enrolment.ts';
import type { FleetTables } from './fleet.ts';
import type { FoundationTables } from './foundation.ts';
import type { MetricsTables } from './metrics.ts';
import type { ShieldEventTables } from './shield-events.ts';

/** Every table of the database, one interface per feature. */
export interface Tables
  extends FoundationTables,
    EnrolmentTables,
    DocumentTables,
    FleetTables,
    MetricsTables,
    ShieldEventTables {}
