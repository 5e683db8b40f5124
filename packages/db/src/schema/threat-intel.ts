import type { Generated } from 'kysely';
import type { Timestamp } from './foundation.ts';

/** The state of all feeds of the installation (`project_id` null, always there) or of a project together. */
export interface ThreatIntelTable {
  project_id: string | null;
  revision: Generated<number>;
  updated_at: Timestamp | null;
  updated_by: string | null;
}

export interface ThreatFeedsTable {
  id: string;
  /** Null: of the installation, here and below. */
  project_id: string | null;
  name: string;
  enabled: boolean;
  entry_count: number;
  /** Of the file that was uploaded. */
  sha256: string;
  uploaded_at: Timestamp;
  uploaded_by: string;
}

export interface ThreatEntriesTable {
  feed_id: string;
  /** `203.0.113.0/24`, `2001:db8::/32`; a single address has its whole length. */
  network: string;
}

export interface GeoipDatabasesTable {
  project_id: string | null;
  kind: 'city' | 'asn';
  upload_id: string;
  size: number;
  sha256: string;
  /** As the file calls itself: `GeoLite2-City`. */
  database_type: string;
  built_at: Timestamp;
  source: 'upload' | 'download';
  uploaded_at: Timestamp;
  uploaded_by: string;
}

export interface GeoipChunksTable {
  project_id: string | null;
  upload_id: string;
  part: number;
  data: Buffer;
  begun_at: Timestamp;
}

export interface ThreatIntelTables {
  threat_intel: ThreatIntelTable;
  threat_feeds: ThreatFeedsTable;
  threat_entries: ThreatEntriesTable;
  geoip_databases: GeoipDatabasesTable;
  geoip_chunks: GeoipChunksTable;
}
