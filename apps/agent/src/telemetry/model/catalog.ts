import { fleet } from '@flotilla/proto';
import { type EnvoyNames, sanitizeStatName } from './envoy-names.ts';
import { CERTIFICATE, type Family, type Owner, STAT_RULES, type StatRule } from './stat-table.ts';

/** One name whose traffic is reported. There is one object per scope and name in a catalog. */
export interface Series {
  readonly scope: fleet.TrafficScope;
  /** Empty for `other` and for the server. */
  readonly name: string;
}

/** The metric of a statistic, and the names that it counts for. */
export interface StatMeaning {
  readonly metric: StatRule['metric'];
  readonly series: readonly Series[];
}

/** The owners of a known name. A name that several owners share in Envoy's statistics belongs to `other`. */
type Owners = Partial<Record<Exclude<Owner, 'server'>, string>>;
type Heads = Map<string, Owners>;

const SCOPES: Readonly<Record<Owner, fleet.TrafficScope>> = {
  cluster: fleet.TrafficScope.CLUSTER,
  host: fleet.TrafficScope.VIRTUAL_HOST,
  listener: fleet.TrafficScope.LISTENER,
  route: fleet.TrafficScope.ROUTE_CONFIGURATION,
  server: fleet.TrafficScope.SERVER,
};

const PREFIXES: Readonly<Record<string, readonly Family[]>> = {
  cluster: ['cluster'],
  http: ['http'],
  listener: ['listener_http', 'listener'],
  tcp: ['tcp'],
  vhost: ['vhost'],
};

/** Rules by their last segment, because names before it may contain dots. */
const RULES = Map.groupBy(STAT_RULES, ({ tail }) => tail.slice(tail.lastIndexOf('.')));
const OTHER = '';

/**
 * Finds out what a statistic of Envoy belongs to. Names may contain dots, so they are not split: a statistic belongs to a name if
 * exactly this name remains between Envoy's own beginning and end.
 */
export class Catalog {
  readonly #heads: Readonly<Record<Family, Heads>>;
  readonly #series = new Map<string, Series>();

  /** Names of `before` count if Envoy has no newer ones with the same statistics, for example while a rollout continues. */
  constructor(names: EnvoyNames, before?: EnvoyNames) {
    this.#heads = toHeads(names);
    if (!before) return;
    for (const [family, heads] of Object.entries(toHeads(before))) {
      const current = this.#heads[family as Family];
      for (const [head, owners] of heads) if (!current.has(head)) current.set(head, owners);
    }
  }

  /** Returns undefined for a statistic of an unknown name. */
  find(stat: string): StatMeaning | undefined {
    const name = sanitizeStatName(stat);
    const dot = name.indexOf('.');
    const families = PREFIXES[name.slice(0, dot)] ?? [];
    const body = name.slice(dot + 1);
    if (body.endsWith(CERTIFICATE.tail)) return this.#findCertificate(families, body);
    for (const rule of RULES.get(body.slice(body.lastIndexOf('.'))) ?? []) {
      if (!families.includes(rule.family) || !body.endsWith(rule.tail)) continue;
      const owners = this.#heads[rule.family].get(body.slice(0, -rule.tail.length));
      if (owners) return this.#toMeaning(rule, owners);
    }
    return undefined;
  }

  /** Returns the only object of this scope and name. */
  intern(scope: fleet.TrafficScope, name: string): Series {
    const key = `${scope}\n${name}`;
    const known = this.#series.get(key);
    if (known) return known;
    const series = { scope, name };
    this.#series.set(key, series);
    return series;
  }

  /** Both the name and the certificate may contain the text between them. */
  #findCertificate(families: readonly Family[], body: string): StatMeaning | undefined {
    const family = families.at(-1);
    if (family !== 'listener' && family !== 'cluster') return undefined;
    for (let at = body.indexOf(CERTIFICATE.middle); at >= 0; at = body.indexOf(CERTIFICATE.middle, at + 1)) {
      const owners = this.#heads[family].get(body.slice(0, at));
      if (owners) return this.#toMeaning(CERTIFICATE.rules[family], owners);
    }
    return undefined;
  }

  #toMeaning({ metric, owners: wanted }: StatRule, owners: Owners): StatMeaning {
    const series = wanted.flatMap((owner) => {
      const name = owner === 'server' ? OTHER : owners[owner];
      return name === undefined ? [] : [this.intern(SCOPES[owner], name)];
    });
    return { metric, series };
  }
}

function toHeads({ listeners, hosts, clusters }: EnvoyNames): Record<Family, Heads> {
  const heads: Record<Family, Heads> = {
    cluster: new Map(),
    http: new Map(),
    listener: new Map(),
    listener_http: new Map(),
    tcp: new Map(),
    vhost: new Map(),
  };
  for (const { name, statName } of clusters) add(heads.cluster, statName, { cluster: name });
  for (const { name, statName, filters } of listeners) {
    add(heads.listener, statName, { listener: name });
    for (const { kind, prefix, route } of filters) {
      const owners = route === '' ? { listener: name } : { listener: name, route };
      add(heads[kind], prefix, owners);
      if (kind === 'http') add(heads.listener_http, `${statName}.http.${prefix}`, owners);
    }
  }
  for (const { route, host, statNames } of hosts) {
    for (const statName of statNames) add(heads.vhost, statName, { host: `${route}/${host}` });
  }
  // Envoy's own endpoint has this prefix, and the agent's reads would count.
  heads.http.delete('admin');
  return heads;
}

function add(heads: Heads, head: string, owners: Owners): void {
  const known = heads.get(head);
  if (!known) {
    heads.set(head, owners);
    return;
  }
  const merged: Owners = { ...known };
  for (const owner of ['cluster', 'host', 'listener', 'route'] as const) {
    if (known[owner] !== owners[owner]) merged[owner] = OTHER;
  }
  heads.set(head, merged);
}
