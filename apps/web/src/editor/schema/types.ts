import type { MessageDescription, SchemaSource } from '../../forms/schema-source.ts';

/** Looks up messages that are already loaded. `null`: this version has no such message; undefined: not known yet. */
export interface Types {
  get(typeName: string): MessageDescription | null | undefined;
}

/** Maximum number of rounds; every round loads messages one level deeper. */
const ROUNDS_MAX = 120;

/**
 * Runs a pure computation that looks up messages. If some are not loaded yet, loads them and runs it again. Rejects when the source does,
 * or when the signal aborts.
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
        // The message was loaded but cannot be looked up: another attempt would never end
        if (!loaded || !source.peek(typeName)) absent.add(typeName);
      }),
    );
    signal?.throwIfAborted();
  }
}
