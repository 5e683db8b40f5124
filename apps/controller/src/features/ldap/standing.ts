import type { LdapSettings } from '@flotilla/contract';
import { AndFilter, type Client, type Entry, OrFilter } from 'ldapts';
import { type Asking, taking, withServer } from './connection.ts';
import { groupsOf } from './directory.ts';
import { filterOfAnybody, filterOfId } from './filter.ts';
import { idOf, isOff, wantedOf } from './person.ts';
import type { LdapServer } from './socket.ts';

/** Names asked for in one filter. */
const IDS_AT_ONCE = 50;

/**
 * Who of those with these ids is there as somebody who may sign in, and the distinguished names of their groups; whoever is missing from
 * the answer is gone, switched off, or not one of those whom the filter of the settings is for. Nobody's password is asked.
 * Throws LdapFailure: a server that answers half of it has answered nothing.
 */
export async function lookFor(
  settings: LdapSettings,
  server: LdapServer,
  { ids, ...asking }: Asking & { readonly ids: readonly string[] },
): Promise<Map<string, readonly string[]>> {
  return withServer(settings, server, asking, async (client) => {
    const found = new Map<string, readonly string[]>();
    for (let i = 0; i < ids.length; i += IDS_AT_ONCE) {
      const asked = new Set(ids.slice(i, i + IDS_AT_ONCE));
      for (const entry of await taking('search', () => findEntries(client, settings, [...asked]))) {
        const id = idOf(settings, entry);
        if (id === undefined || !asked.has(id) || isOff(entry, new Date())) continue;
        found.set(id, await taking('groups', () => groupsOf(client, settings, entry)));
      }
    }
    return found;
  });
}

async function findEntries(client: Client, settings: LdapSettings, ids: readonly string[]): Promise<Entry[]> {
  const { searchEntries } = await client.search(settings.base_dn, {
    scope: 'sub',
    derefAliases: 'never',
    filter: new AndFilter({
      filters: [
        filterOfAnybody(settings.user_filter),
        new OrFilter({ filters: ids.map((id) => filterOfId(settings.id_attribute, id)) }),
      ],
    }),
    // No limit: an answer that was cut short would be taken for people who are gone. The server's own limit is an error.
    ...wantedOf(settings),
  });
  return searchEntries;
}
