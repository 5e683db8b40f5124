/** A request as a program behind the filter receives it. */
export interface SentRequest {
  readonly method: string;
  /** Path and query in printable ASCII without spaces and `#`: Envoy forwards nothing else. */
  readonly target: string;
  /** The body's type; undefined if none is declared. */
  readonly type: string | undefined;
  readonly body: Buffer;
}

/** The parts of a request that a program uses. */
export interface Reading {
  /** Texts that it executes as GraphQL, or passes to a library that does. */
  readonly documents: readonly Buffer[];
  /** Methods that it uses for the request, as sent. */
  readonly methods: readonly string[];
}

/** A real third-party program or library that reads URLs and forms. */
export interface Upstream {
  readonly name: string;
  read(request: SentRequest): Promise<Reading>;
  close(): Promise<void>;
}

export const NOTHING_READ: Reading = { documents: [], methods: [] };

/** Joins several readings of one program. */
export function joinReadings(readings: readonly Reading[]): Reading {
  return {
    documents: readings.flatMap(({ documents }) => documents),
    methods: readings.flatMap(({ methods }) => methods),
  };
}

export function isForm({ type }: SentRequest): boolean {
  return type?.includes('urlencoded') === true;
}
