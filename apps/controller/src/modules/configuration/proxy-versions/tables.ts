import type { Timestamp } from '@flotilla/db';

declare module '@flotilla/db' {
  interface Tables {
    proxy_descriptors: ProxyDescriptorsTable;
  }
}

interface ProxyDescriptorsTable {
  version: string;
  /** The digest of the binary that they are from. */
  sha256: string;
  /** The architecture of the binary, as the archive names it. */
  arch: string;
  /** The address that the binary was downloaded from. */
  source: string;
  messages: number;
  /** A compressed FileDescriptorSet. */
  descriptors: Buffer;
  prepared_at: Timestamp;
  prepared_by: string;
}
