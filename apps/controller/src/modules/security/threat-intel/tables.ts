import type { Timestamp } from '@flotilla/db';
import type { Generated } from 'kysely';

declare module '@flotilla/db' {
  interface Tables {
    threat_intel: ThreatIntelTable;
    threat_feeds: ThreatFeedsTable;
    threat_entries: ThreatEntriesTable;
  }
}

/** The revision of all feeds of a project, or of the installation (`project_id` null; this row always exists). */
interface ThreatIntelTable {
  project_id: string | null;
  revision: Generated<number>;
  updated_at: Timestamp | null;
  updated_by: string | null;
}

interface ThreatFeedsTable {
  id: string;
  /** Null: a feed of the installation. */
  project_id: string | null;
  name: string;
  enabled: boolean;
  entry_count: number;
  /** SHA-256 of the uploaded file, in hexadecimal. */
  sha256: string;
  uploaded_at: Timestamp;
  uploaded_by: string;
}

interface ThreatEntriesTable {
  feed_id: string;
  /** CIDR, such as `203.0.113.0/24`; a single address has its full prefix length. */
  network: string;
}
