import type { Buffer } from 'node:buffer';
import type { LdapSettings } from '@flotilla/contract';
import { AndFilter, type Client, EqualityFilter, ExtensibleFilter, type Filter, FilterParser, OrFilter } from 'ldapts';
import { normalizeDn } from './dn.ts';

/** Maximum nesting of groups. */
const DEPTH_MAX = 5;
/** Maximum groups per person; further ones are ignored. */
const GROUPS_MAX = 1000;
/** LDAP_MATCHING_RULE_IN_CHAIN of Active Directory. */
const IN_CHAIN = '1.2.840.113556.1.4.1941';
/** Names per filter. */
const NAMES_AT_ONCE = 50;

interface Member {
  readonly dn: string;
  /** From the person's entry. */
  readonly memberOf: readonly string[];
  /** SID of the primary group (Active Directory), which does not list its members. */
  readonly primaryGroup: Buffer | undefined;
}

/** Distinguished names of the person's groups. */
export async function findGroups(client: Client, settings: LdapSettings, person: Member): Promise<string[]> {
  const { from, nested } = settings.groups;
  if (from === 'none') return [];
  const primary = person.primaryGroup ? await search(client, settings, [hasSid(person.primaryGroup)]) : [];
  if (nested === 'matching_rule') {
    const members = [person.dn, ...primary].map((dn) => inChain(settings, dn));
    return unite(primary, await search(client, settings, members));
  }
  const direct =
    from === 'member_of' ? person.memberOf : await search(client, settings, [isMember(settings, person.dn)]);
  const groups = unite(direct, primary);
  if (nested === 'no') return groups;
  const seen = new Map(groups.map((dn) => [normalizeDn(dn), dn]));
  let level: readonly string[] = groups;
  for (let depth = 1; depth < DEPTH_MAX && level.length > 0 && seen.size < GROUPS_MAX; depth += 1) {
    const above = await search(
      client,
      settings,
      level.map((dn) => isMember(settings, dn)),
    );
    level = above.filter((dn) => !seen.has(normalizeDn(dn)));
    for (const dn of level) seen.set(normalizeDn(dn), dn);
  }
  return [...seen.values()].slice(0, GROUPS_MAX);
}

async function search(client: Client, settings: LdapSettings, members: readonly Filter[]): Promise<string[]> {
  const found: string[] = [];
  for (let i = 0; i < members.length && found.length < GROUPS_MAX; i += NAMES_AT_ONCE) {
    const filters = members.slice(i, i + NAMES_AT_ONCE);
    const { searchEntries } = await client.search(settings.groups.base_dn || settings.base_dn, {
      scope: 'sub',
      derefAliases: 'never',
      // Built as objects instead of text, so that no name can be parsed as a filter.
      filter: new AndFilter({ filters: [FilterParser.parseString(settings.groups.filter), new OrFilter({ filters })] }),
      attributes: ['1.1'],
      sizeLimit: GROUPS_MAX,
    });
    found.push(...searchEntries.map(({ dn }) => dn));
  }
  return found;
}

function unite(one: readonly string[], other: readonly string[]): string[] {
  const all = new Map([...one, ...other].map((dn) => [normalizeDn(dn), dn]));
  return [...all.values()].slice(0, GROUPS_MAX);
}

function isMember({ groups }: LdapSettings, value: string): Filter {
  return new EqualityFilter({ attribute: groups.member_attribute, value });
}

function inChain({ groups }: LdapSettings, value: string): Filter {
  return new ExtensibleFilter({ matchType: groups.member_attribute, rule: IN_CHAIN, value });
}

function hasSid(value: Buffer): Filter {
  return new EqualityFilter({ attribute: 'objectSid', value });
}
