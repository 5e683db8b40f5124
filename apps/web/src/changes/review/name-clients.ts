import type { Difference } from '../plan.ts';

type NameOf = (clientId: string) => string;

/** Replaces the IDs of clients by their names. */
export function nameClients(diff: readonly Difference[], nameOf: NameOf): readonly Difference[] {
  return diff.map(({ path, change, before, after }) => {
    const isId = /(?:^|\.)client_id$/.test(path);
    const name = (value: unknown) => (isId && typeof value === 'string' ? nameOf(value) : nameWithin(value, nameOf));
    return {
      path,
      change,
      ...(before !== undefined && { before: name(before) }),
      ...(after !== undefined && { after: name(after) }),
    };
  });
}

function nameWithin(value: unknown, nameOf: NameOf): unknown {
  if (Array.isArray(value)) return value.map((item) => nameWithin(item, nameOf));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) =>
      key === 'client_id' && typeof member === 'string'
        ? ['client', nameOf(member)]
        : [key, nameWithin(member, nameOf)],
    ),
  );
}

/** Adds the name of each client to its ID, as a comment. */
export function commentClients(yaml: string, nameOf: NameOf): string {
  return yaml.replace(/^([ -]*client_id: )([\w-]+)$/gm, (line, _key, id: string) => {
    const name = nameOf(id);
    return name === id ? line : `${line} # ${name}`;
  });
}
