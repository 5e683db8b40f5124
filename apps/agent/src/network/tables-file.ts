import type { TableSpec } from '@flotilla/proto/commands';

const HEAD = '# Written by Flotilla. Change the tables with its command NETWORK.';

/** The form of /etc/iproute2/rt_tables.d/*.conf. */
export function formatTables(tables: readonly TableSpec[]): string {
  return `${[HEAD, ...tables.map(({ id, name }) => `${id}\t${name}`)].join('\n')}\n`;
}

export function parseTables(text: string): TableSpec[] {
  return text.split('\n').flatMap((line) => {
    const [, id, name] = /^\s*(0x[0-9a-f]+|\d+)\s+([^\s#]+)/i.exec(line) ?? [];
    return id === undefined || name === undefined ? [] : [{ id: Number(id), name }];
  });
}
