import type { Timestamp } from '@flotilla/db';

declare module '@flotilla/db' {
  interface Tables {
    geoip_databases: GeoipDatabasesTable;
    geoip_chunks: GeoipChunksTable;
  }
}

interface GeoipDatabasesTable {
  project_id: string | null;
  kind: 'city' | 'asn';
  upload_id: string;
  size: number;
  sha256: string;
  /** The type in the file's metadata, such as `GeoLite2-City`. */
  database_type: string;
  built_at: Timestamp;
  source: 'upload' | 'download';
  uploaded_at: Timestamp;
  uploaded_by: string;
}

interface GeoipChunksTable {
  project_id: string | null;
  upload_id: string;
  part: number;
  data: Buffer;
  begun_at: Timestamp;
}
