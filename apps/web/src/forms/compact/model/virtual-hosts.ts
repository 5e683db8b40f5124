import { refOf } from '../../model/any.ts';
import { isList, isObject, type Json, type JsonObject } from '../../model/json.ts';
import { type CellProblem, listOtherKeys, readMember, writeMember } from './members.ts';
import { texts } from './texts.ts';

const words = texts.hosts;

export type HostCell = 'name' | 'domains';

export interface HostRow {
  readonly name: string;
  readonly domains: readonly string[];
  /** Number of its routes. */
  readonly routes: number;
  /** A stored document in place of the virtual host. */
  readonly reference: string | undefined;
  /** Settings that the row does not show. */
  readonly others: readonly string[];
  readonly problems: readonly CellProblem<HostCell>[];
}

export type Hosts =
  | { readonly isSimple: true; readonly rows: readonly HostRow[] }
  | { readonly isSimple: false; readonly reason: string };

const SEPARATOR = /[\s,]+/;

/** Reads `RouteConfiguration.virtual_hosts`. */
export function readHosts(value: Json | undefined): Hosts {
  const items = value ?? [];
  if (!isList(items)) return { isSimple: false, reason: words.noList };
  const rows: HostRow[] = [];
  /** Number of the first virtual host with each domain. */
  const owners = new Map<string, number>();
  for (const [index, item] of items.entries()) {
    const number = index + 1;
    const reason = refuseItem(item);
    if (reason !== undefined) return { isSimple: false, reason: words.refused(number, reason) };
    const row = toRow(item);
    rows.push({ ...row, problems: row.reference === undefined ? findProblems(row, number, owners) : [] });
  }
  return { isSimple: true, rows };
}

/** Splits domains at spaces, commas and line ends. */
export function parseDomains(text: string): string[] {
  return text.split(SEPARATOR).filter((domain) => domain !== '');
}

export function writeHostName(item: Json | undefined, name: string): JsonObject {
  const host = isObject(item) ? item : {};
  return toRow(host).name === name ? host : writeMember(host, ['name'], name === '' ? undefined : name);
}

/** The domains that are shown already change nothing. */
export function writeDomains(item: Json | undefined, domains: readonly string[]): JsonObject {
  const host = isObject(item) ? item : {};
  const { domains: before } = toRow(host);
  if (before.length === domains.length && domains.every((domain, index) => domain === before[index])) return host;
  return writeMember(host, ['domains'], domains.length === 0 ? undefined : domains);
}

function refuseItem(item: Json): string | undefined {
  if (!isObject(item)) return 'is not an object';
  if (refOf(item) !== undefined) return undefined;
  const name = readMember(item, ['name']) ?? '';
  const domains = readMember(item, ['domains']) ?? [];
  const routes = readMember(item, ['routes']) ?? [];
  if (typeof name !== 'string' || !isList(domains) || !isList(routes)) return 'has a value of a wrong type';
  if (domains.some((domain) => typeof domain !== 'string')) return 'has a domain that is not a text';
  if (domains.some((domain) => domain === '' || SEPARATOR.test(String(domain))))
    return 'has a domain that is empty or contains a space or a comma';
  return undefined;
}

function toRow(item: Json): Omit<HostRow, 'problems'> {
  const name = readMember(item, ['name']);
  const domains = readMember(item, ['domains']);
  const routes = readMember(item, ['routes']);
  return {
    name: typeof name === 'string' ? name : '',
    domains: isList(domains) ? domains.map(String) : [],
    routes: isList(routes) ? routes.length : 0,
    reference: refOf(item),
    others: listOtherKeys(item, ['name', 'domains', 'routes']),
  };
}

function findProblems(
  { name, domains }: Omit<HostRow, 'problems'>,
  number: number,
  owners: Map<string, number>,
): HostRow['problems'] {
  const problems: CellProblem<HostCell>[] = [];
  if (name === '') problems.push({ cell: 'name', message: words.noName });
  if (domains.length === 0) problems.push({ cell: 'domains', message: words.noDomain });
  for (const domain of domains) {
    // Envoy compares domains without regard to case.
    const key = domain.toLowerCase();
    const owner = owners.get(key);
    if (owner === undefined) owners.set(key, number);
    else if (owner === number) problems.push({ cell: 'domains', message: words.domainTwice(domain) });
    else problems.push({ cell: 'domains', message: words.domainOfOther(domain, owner) });
  }
  return problems;
}
