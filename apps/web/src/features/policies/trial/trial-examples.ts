import { asList, asRecord } from '../../../yaml/plain.ts';
import { type DomainView, type EngineSlot, type PolicyView, textOf } from '../form/policy-view.ts';
import type { TrialDraft } from './trial-draft.ts';

/** A request that shows what a part of the policy does. */
export interface TrialExample {
  readonly label: string;
  readonly draft: TrialDraft;
}

const EXAMPLES_MAX = 12;
const ADDRESS = '203.0.113.7';

/** Creates example requests for the policy's hosts and paths, routes first. */
export function makeExamples(view: PolicyView): readonly TrialExample[] {
  const examples = view.domains.flatMap((domain) => {
    const host = hostOf(domain);
    const routes = domain.routes.map(({ prefix, engines }) => toExample(host, prefix, engines));
    return [...routes, toExample(host, otherPath(domain), domain.engines)];
  });
  return examples.slice(0, EXAMPLES_MAX);
}

function hostOf({ hosts: [first = ''] }: DomainView): string {
  if (first === '*' || first === '') return 'example.com';
  return first.startsWith('*.') ? `www${first.slice(1)}` : first;
}

/** Returns a path that no route of the domain matches. */
function otherPath({ routes }: DomainView): string {
  const paths = ['/', '/other', '/somewhere-else'];
  return paths.find((path) => !routes.some(({ prefix }) => prefix !== '' && path.startsWith(prefix))) ?? '/';
}

function toExample(host: string, path: string, slots: readonly EngineSlot[]): TrialExample {
  const engines = slots.filter(({ state }) => state === 'own' || state === 'inherited');
  const block = (name: string) => engines.find((engine) => engine.name === name)?.block;
  const graphql = block('graphql');
  const limiter = block('rate_limit');
  const headers = [
    ...(graphql ? ['content-type: application/json'] : []),
    ...(limiter?.key === 'header' && textOf(limiter.header) !== '' ? [`${textOf(limiter.header)}: one`] : []),
  ];
  const within = textOf(asList(graphql?.paths)?.[0]);
  const target = within.startsWith(path) ? within : path.startsWith('/') ? path : `/${path}`;
  const draft: TrialDraft = {
    method: graphql ? 'POST' : 'GET',
    url: `https://${host}${target}`,
    headers: headers.join('\n'),
    body: graphql ? '{"query": "{ __typename }"}' : '',
    sourceIp: ADDRESS,
  };
  return { label: `${draft.method} ${host}${target}`, draft };
}

/** Lists headers and query parameters in which the policy looks for credentials. */
export function credentialNames(view: PolicyView): readonly string[] {
  const names = new Set<string>(['authorization', 'x-api-key']);
  for (const { engines, routes } of view.domains)
    for (const { name, block } of [...engines, ...routes.flatMap((route) => route.engines)]) {
      if (name === 'api_key')
        for (const source of [block, ...(asList(block?.sources) ?? [])]) names.add(textOf(asRecord(source)?.name));
      if (name === 'jwt') names.add(textOf(block?.header_name));
    }
  names.delete('');
  return [...names];
}
