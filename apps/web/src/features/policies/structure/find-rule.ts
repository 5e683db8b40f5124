import { formatPlace } from '../form/place.ts';
import type { DomainStructure, PolicyStructure } from './structure.ts';

/** The rule behind a verdict, as events and trials name it. */
export interface Rule {
  readonly host: string;
  /** Path prefix; empty for the domain itself. */
  readonly route: string;
  readonly engine: string;
}

export interface FoundRule {
  /** 1-based line of the engine that decided, or of its route or domain. */
  readonly line: number;
  /** The part of the form with the route or domain. */
  readonly place: string;
}

/** Finds the rule in the text. undefined if no domain covers the host, or the route no longer exists. */
export function findRule({ domains }: PolicyStructure, { host, route, engine }: Rule): FoundRule | undefined {
  const domain = domains.toSorted((a, b) => rank(b, host) - rank(a, host))[0];
  if (!domain || rank(domain, host) < 0) return undefined;
  const index = domain.routes.findIndex(({ prefix }) => prefix === route);
  const part = route === '' ? domain : domain.routes[index];
  if (!part) return undefined;
  return {
    line: part.engines.find(({ name }) => name === engine)?.line ?? part.line,
    place: formatPlace(domains.indexOf(domain), route === '' ? undefined : index),
  };
}

/** Returns how specifically a domain matches a host: exactly, by the longest suffix, by `*`; negative if it does not. */
function rank({ hosts }: DomainStructure, host: string): number {
  return Math.max(-1, ...hosts.map((entry) => rankEntry(entry.toLowerCase(), host.toLowerCase())));
}

function rankEntry(entry: string, host: string): number {
  if (entry === '*') return 0;
  if (entry === host) return Number.POSITIVE_INFINITY;
  return entry.startsWith('*.') && host.endsWith(entry.slice(1)) && host.length > entry.length - 1 ? entry.length : -1;
}
