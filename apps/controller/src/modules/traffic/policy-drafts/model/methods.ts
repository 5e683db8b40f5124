import { readsBodies } from '@flotilla/policy';
import type { DraftDomain, PathGroup } from './plan.ts';

export interface MethodChoice {
  readonly allow: readonly string[];
  readonly why: string;
  readonly note: string | undefined;
}

/**
 * The methods of a route: those that the inventory confirms. HEAD asks for the headers of GET (RFC 9110 section 9.3.2), and clients choose
 * between them freely. Browsers send OPTIONS before requests of other origins, which an inventory may not have seen.
 */
export function allowMethods({ operations }: PathGroup): MethodChoice {
  const seen = [...new Set(operations.map(({ method }) => method))].sort();
  const confirmed = seen.filter((method) => method !== 'OTHER');
  const implied = [...(confirmed.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].filter(
    (method) => !(confirmed as readonly string[]).includes(method),
  );
  const because = [
    ...(implied.includes('HEAD') ? ['HEAD because it is a GET without content'] : []),
    ...(implied.includes('OPTIONS') ? ['OPTIONS for browsers of other origins'] : []),
  ];
  return {
    allow: [...confirmed, ...implied],
    why: `The inventory confirms ${confirmed.length === 0 ? 'no standard method' : confirmed.join(', ')}.${
      because.length === 0 ? '' : ` Also ${because.join(', and ')}.`
    }`,
    note: seen.includes('OTHER')
      ? 'Requests of this path had methods that are not standard, which the inventory does not name: add them to the list, or they are refused.'
      : undefined,
  };
}

/** Says why a draft does not inspect bodies although fields of them can override its methods. Empty if none can. */
export function explainUnseenBodies(domains: readonly DraftDomain[]): readonly string[] {
  const count = domains
    .flatMap(({ routes }) => routes)
    .filter(({ engines: { methods } }) => isRecord(methods) && readsBodies('methods', methods)).length;
  if (count === 0) return [];
  const where = count === 1 ? '1 route has a method' : `${count} routes have methods`;
  return [
    `${where} that a field of a body (_method) can turn into another one, unseen (methods.bodies_unseen). The draft inspects no bodies, because a form or JSON that is larger than max_request_body_bytes would be refused, and it does not know how large yours are. If an upstream reads methods from bodies, set inspect_request_body and max_request_body_bytes in spec.defaults.`,
  ];
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
