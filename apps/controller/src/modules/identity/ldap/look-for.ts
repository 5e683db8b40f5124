import type { LdapSettings } from '@flotilla/contract';
import { AndFilter, type Client, type Entry, OrFilter } from 'ldapts';
import { type Asking, taking, withServer } from './connection.ts';
import { groupsOf } from './directory.ts';
import { filterOfAnybody, filterOfId } from './filter.ts';
import { idOf, isOff, wantedOf } from './person.ts';
import type { LdapServer } from './socket.ts';

/** Ids per filter. */
const IDS_AT_ONCE = 50;

/**
 * Looks up which of these ids are still active, with the distinguished names of their groups. A missing id is gone,
 * disabled, or excluded by the filter of the settings. Needs no password. Throws LdapFailure, also for an incomplete
 * answer.
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
    // No limit: people missing from a truncated answer would be treated as gone. The server's own limit is an error.
    ...wantedOf(settings),
  });
  return searchEntries;
}
