import { Buffer } from 'node:buffer';

type Value = string | number | boolean | readonly Value[] | { readonly [name: string]: Value };

/** Encodes a value of the data section of the MaxMind DB format. */
function encode(value: Value): Buffer {
  if (typeof value === 'string') return withControl(2, Buffer.from(value));
  if (typeof value === 'boolean') return Buffer.from([value ? 1 : 0, 7]);
  if (typeof value === 'number') {
    const hex = value.toString(16);
    const bytes = Buffer.from(hex.length % 2 ? `0${hex}` : hex, 'hex');
    return value > 0xffff_ffff ? Buffer.from([bytes.length, 2, ...bytes]) : withControl(6, bytes);
  }
  if (Array.isArray(value)) return Buffer.concat([Buffer.from([value.length, 4]), ...value.map(encode)]);
  const entries = Object.entries(value).flatMap(([name, member]) => [encode(name), encode(member)]);
  return Buffer.concat([Buffer.from([(7 << 5) | (entries.length / 2)]), ...entries]);
}

function withControl(type: number, bytes: Buffer): Buffer {
  const head = bytes.length < 29 ? [(type << 5) | bytes.length] : [(type << 5) | 29, bytes.length - 29];
  return Buffer.concat([Buffer.from(head), bytes]);
}

interface TestMmdb {
  readonly nodes?: number;
  readonly metadata?: Readonly<Record<string, Value>>;
  /** The bytes between the tree and the data. */
  readonly separator?: Buffer;
}

/** A MaxMind DB file with a search tree of `nodes` nodes. */
export function createMmdb(databaseType: string, { nodes = 4, metadata, separator }: TestMmdb = {}): Buffer {
  const described = {
    binary_format_major_version: 2,
    binary_format_minor_version: 0,
    build_epoch: 1_700_000_000,
    database_type: databaseType,
    description: { en: 'a database that is made for a test, longer than a short text' },
    ip_version: 6,
    languages: ['en'],
    node_count: nodes,
    record_size: 24,
    ...metadata,
  };
  return Buffer.concat([
    Buffer.alloc(nodes * 6, 1),
    separator ?? Buffer.alloc(16),
    encode({ name: 'somewhere' }),
    Buffer.from([0xab, 0xcd, 0xef]),
    Buffer.from('MaxMind.com'),
    encode(described),
  ]);
}
