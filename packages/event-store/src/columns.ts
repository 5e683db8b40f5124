/**
 * The columns of an event. Both adapters derive their tables, their inserts and their queries from these tables, so a column
 * exists in both or in neither.
 */

/** Texts with few different values, and the most characters that are stored of each. */
export const WORD_COLUMNS = {
  service: 128,
  client: 128,
  listener: 128,
  protocol: 16,
  method: 32,
  host: 255,
  /** The normalized path: a template such as `/orders/{id}`, never the path of the request. */
  path: 512,
  /** A gRPC method or a GraphQL operation; empty for other requests. */
  operation: 128,
  route: 128,
  cluster: 128,
  responseFlags: 64,
  country: 8,
  agentKind: 16,
  authScheme: 16,
  tlsVersion: 16,
  contentType: 96,
  /** The decision of the filter: `allow`, `block`, `detect`, or empty. */
  action: 16,
  /** The engine of the filter that decided. */
  engine: 32,
} as const;

/** Whole numbers from zero, and the type that holds each. Larger values are stored as the largest one. */
export const NUMBER_COLUMNS = {
  status: 'u16',
  /** 255 stands for: no gRPC status. */
  grpcStatus: 'u8',
  latencyUs: 'u32',
  requestBytes: 'u64',
  responseBytes: 'u64',
  asn: 'u32',
  /** The score of threats, from 0 to 255. */
  risk: 'u8',
  /** The score of exposure, from 0 to 255. */
  exposure: 'u8',
  /** The number of requests that this event stands for: N if one of N was sampled. */
  weight: 'u16',
} as const;

/** Sets of flags, by the number of the bit. */
export const BIT_COLUMNS = { flags: 'u64', pii: 'u32', categories: 'u32', marks: 'u8' } as const;

/** Keyed hashes of 16 hexadecimal digits, or an empty text. */
export const HASH_COLUMNS = ['operationId', 'consumer', 'source', 'userAgent', 'object'] as const;

export type WordColumn = keyof typeof WORD_COLUMNS;
export type NumberColumn = keyof typeof NUMBER_COLUMNS;
export type BitColumn = keyof typeof BIT_COLUMNS;
export type HashColumn = (typeof HASH_COLUMNS)[number];
/** `statusClass` is the smallest status of the class: `200` stands for 200 to 299, `0` for requests without a status. */
const NUMBER_DIMENSIONS = ['status', 'statusClass', 'grpcStatus', 'asn', 'risk'] as const;
/** Columns that queries group by. */
export type Dimension = WordColumn | HashColumn | (typeof NUMBER_DIMENSIONS)[number];
export type Width = 'u8' | 'u16' | 'u32' | 'u64';

/** Columns that identify a row and that callers do not fill: where it came from, its place in the batch, its latency class. */
const INTERNAL = { batch: 'u64', ordinal: 'u32', requestHigh: 'u64', requestLow: 'u64', latencyBucket: 'u8' } as const;

/** Every column that holds a number, without the time. */
export const NUMERIC: Readonly<Record<string, Width>> = {
  ...NUMBER_COLUMNS,
  ...BIT_COLUMNS,
  ...Object.fromEntries(HASH_COLUMNS.map((name) => [name, 'u64' as const])),
  ...INTERNAL,
};
export const WORD_NAMES = Object.keys(WORD_COLUMNS) as readonly WordColumn[];
export const NUMERIC_NAMES: readonly string[] = Object.keys(NUMERIC);

/** Rollups keep these, so a query that filters and groups by no other column reads rollups. */
export const ROLLUP_WORDS = [
  'service',
  'listener',
  'method',
  'host',
  'path',
  'operation',
  'route',
  'action',
] as const satisfies WordColumn[];
export const ROLLUP_NUMBERS = ['operationId', 'status'] as const;
/** A second set of rollups has only these: few rows for totals and series, however many operations there are. */
export const NARROW_WORDS = ['service', 'listener', 'action'] as const satisfies WordColumn[];
export const NARROW_NUMBERS = ['status'] as const;
export const NARROW_DIMENSIONS: ReadonlySet<string> = new Set([...NARROW_WORDS, ...NARROW_NUMBERS, 'statusClass']);
export const ROLLUP_DIMENSIONS: ReadonlySet<string> = new Set([...ROLLUP_WORDS, ...ROLLUP_NUMBERS, 'statusClass']);

/** Sums by hour and day without latencies, for rankings: by origin, and by consumer. */
export const ORIGIN_WORDS = [...NARROW_WORDS, 'country', 'agentKind'] as const satisfies WordColumn[];
const ORIGIN_DIMENSIONS: ReadonlySet<string> = new Set([...NARROW_DIMENSIONS, 'country', 'agentKind']);
const CONSUMER_DIMENSIONS: ReadonlySet<string> = new Set([...NARROW_DIMENSIONS, 'consumer']);
/** Columns whose different values are estimated, and the only one that may be filtered by then. */
export const SKETCHED = ['consumer', 'source'] as const satisfies HashColumn[];
export const SKETCH_FILTERS: ReadonlySet<string> = new Set(['service']);

/** Sets of rollups, those with fewer rows first. */
export type SumKind = 'narrow' | 'wide' | 'origin' | 'consumer' | 'sketch';
const KINDS: readonly (readonly [SumKind, ReadonlySet<string>])[] = [
  ['narrow', NARROW_DIMENSIONS],
  ['wide', ROLLUP_DIMENSIONS],
  ['origin', ORIGIN_DIMENSIONS],
  ['consumer', CONSUMER_DIMENSIONS],
];

/** The rollups that have all of these columns. */
export function findKind(columns: readonly string[]): SumKind | undefined {
  return KINDS.find(([, dimensions]) => columns.every((column) => dimensions.has(column)))?.[0];
}

const WORDS: ReadonlySet<string> = new Set(WORD_NAMES);
const HASHES: ReadonlySet<string> = new Set(HASH_COLUMNS);
const NUMBERS_GROUPED: ReadonlySet<string> = new Set(NUMBER_DIMENSIONS);

export function isWordColumn(name: string): name is WordColumn {
  return WORDS.has(name);
}

export function isHashColumn(name: string): name is HashColumn {
  return HASHES.has(name);
}

export function isNumberColumn(name: string): name is NumberColumn {
  return Object.hasOwn(NUMBER_COLUMNS, name);
}

export function isBitColumn(name: string): name is BitColumn {
  return Object.hasOwn(BIT_COLUMNS, name);
}

export function isDimension(name: string): name is Dimension {
  return isWordColumn(name) || isHashColumn(name) || NUMBERS_GROUPED.has(name);
}
