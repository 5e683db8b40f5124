import { Buffer } from 'node:buffer';

/** A database of MaxMind's format with one node and nothing in it. Source: MaxMind DB File Format Specification 2.0. */
export function createSmallMmdb(databaseType: string, builtAt: Date): Buffer {
  const metadata = {
    binary_format_major_version: 2,
    binary_format_minor_version: 0,
    build_epoch: Math.floor(builtAt.getTime() / 1000),
    database_type: databaseType,
    ip_version: 6,
    node_count: 1,
    record_size: 24,
  };
  const entries = Object.entries(metadata).flat().map(encode);
  const [tree, separator] = [Buffer.alloc(6, 1), Buffer.alloc(16)];
  const map = Buffer.from([(7 << 5) | (entries.length / 2)]);
  return Buffer.concat([tree, separator, Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1'), map, ...entries]);
}

/** A text of less than 29 bytes, or a number of 32 bits. */
function encode(value: string | number): Buffer {
  if (typeof value === 'string') return Buffer.from([(2 << 5) | value.length, ...Buffer.from(value)]);
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return Buffer.from([(6 << 5) | 4, ...bytes]);
}
