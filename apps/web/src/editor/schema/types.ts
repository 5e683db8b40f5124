import type { MessageDescription, SchemaSource } from '../../forms/schema-source.ts';

/** Looks messages up without waiting. `null`: this version has no such message; undefined: not known yet. */
export interface Types {
  get(typeName: string): MessageDescription | null | undefined;
}

/** Rounds of loading; every round reaches one message deeper. */
const ROUNDS_MAX = 120;

/**
 * Runs a pure computation over messages that come over the network: what it asks for and is not there is loaded, then it runs again.
 * Rejects when the source does, or when the signal aborts.
 */
export async function withTypes<T>(source: SchemaSource, run: (types: Types) => T, signal?: AbortSignal): Promise<T> {
  const absent = new Set<string>();
  for (let round = 0; ; round += 1) {
    const missing = new Set<string>();
    const result = run({
      get(typeName) {
        if (absent.has(typeName)) return null;
        const known = source.peek(typeName);
        if (!known) missing.add(typeName);
        return known;
      },
    });
    if (missing.size === 0 || round >= ROUNDS_MAX) return result;
    await Promise.all(
      [...missing].map(async (typeName) => {
        const loaded = await source.load(typeName);
        // Loaded and still not to be peeked at: asking again would go on for ever
        if (!loaded || !source.peek(typeName)) absent.add(typeName);
      }),
    );
    signal?.throwIfAborted();
  }
}
