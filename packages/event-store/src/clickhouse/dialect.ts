import { type Dialect, ROLLUP_KEYS } from '../sql.ts';

/** Texts go to the server as parameters of the query, never as part of it. */
export function createClickHouseDialect(
  database: string,
  project: string,
): { readonly dialect: Dialect; readonly params: Readonly<Record<string, unknown>> } {
  const params: Record<string, unknown> = { project };
  const add = (value: unknown, type: string) => {
    const name = `p${Object.keys(params).length}`;
    params[name] = value;
    return `{${name}:${type}}`;
  };
  const dialect: Dialect = {
    source: ({ resolution, kind }) => {
      if (resolution === 'raw') return `"${database}".events`;
      return `"${database}".${kind === 'origin' || kind === 'consumer' ? kind : 'rollup'}_${resolution}`;
    },
    project: () => `${ROLLUP_KEYS[0]} = {project:String}`,
    word: (column, match) => {
      if ('in' in match) return match.in.length === 0 ? '1 = 0' : `"${column}" in ${add(match.in, 'Array(String)')}`;
      if ('prefix' in match) return `startsWith("${column}", ${add(match.prefix, 'String')})`;
      return `position("${column}", ${add(match.contains, 'String')}) > 0`;
    },
    anyBits: (column, mask) => `bitAnd("${column}", toUInt64(${mask})) <> 0`,
    orBits: (column) => `groupBitOr("${column}")`,
    u64: (value) => `toUInt64(${value})`,
  };
  return { dialect, params };
}
