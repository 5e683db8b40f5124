/** The open part of the form, as in the URL: `defaults`, `d2` (the third domain), `d2.r0` (its first route). */
export interface OpenPlace {
  readonly isDefaults: boolean;
  readonly domain: number | undefined;
  readonly route: number | undefined;
}

/** No part is open, even if one would be by default. */
export const CLOSED = 'none';

export function parsePlace(text: string | undefined): OpenPlace {
  const [, domain, route] = /^d(\d{1,6})(?:\.r(\d{1,6}))?$/.exec(text ?? '') ?? [];
  return {
    isDefaults: text === 'defaults',
    domain: domain === undefined ? undefined : Number(domain),
    route: route === undefined ? undefined : Number(route),
  };
}

export function formatPlace(domain: number, route?: number): string {
  return route === undefined ? `d${domain}` : `d${domain}.r${route}`;
}

/** Returns the part of the form that contains a path of the document, such as `spec.domains[0].routes[2].match`. */
export function placeOfPath(path: string): string | undefined {
  if (path.startsWith('spec.defaults')) return 'defaults';
  const [, domain, route] = /^spec\.domains\[(\d+)\](?:\.routes\[(\d+)\])?/.exec(path) ?? [];
  if (domain === undefined) return undefined;
  return formatPlace(Number(domain), route === undefined ? undefined : Number(route));
}
