import {
  HostTree,
  Identifier,
  listTemplates,
  type Method,
  normalizePath,
  RouteNames,
  readRouteTable,
} from '@flotilla/inventory';
import type { Api } from './corpus.ts';
import { addScore, emptyScore, type Figures, figuresOf, type Score, scoreSets } from './score.ts';
import { generateTraffic, type Mix, type Sent } from './traffic.ts';

export interface TemplatingFigures extends Figures {
  /** Mean of the F1 of each API: a large one counts as much as a small one. */
  readonly meanF1: number;
  readonly apis: number;
  readonly operations: number;
  readonly requests: number;
}

/** Templates that are learned from traffic alone, compared with those of the documents. */
export function measureLearned(apis: readonly Api[], mix: Mix): TemplatingFigures {
  return measure(apis, mix, (sent) => {
    const tree = new HostTree();
    for (const { method, path, answer } of sent)
      if (answer === 'answered') tree.add(method as Method, normalizePath(path).segments);
    return new Set(listTemplates(tree.decide()).map(({ method, path }) => `${method} ${anonymous(path)}`));
  });
}

/** Names of requests, where the routes of the API are known. */
export function measureWithRoutes(apis: readonly Api[], mix: Mix): TemplatingFigures {
  return measure(apis, mix, (sent, api) => {
    const identifier = new Identifier({ routes: toRoutes(api) });
    const named = new Set<string>();
    for (const { method, path, answer } of sent) {
      const identity = identifier.identify({ method, authority: 'api.example.com', path, answer, place: PLACE });
      if (answer === 'answered' && identity.source === 'route')
        named.add(`${method} ${anonymous(identity.normalizedPath)}`);
    }
    return named;
  });
}

const PLACE = 'api public';

/** A route for each operation, those with more literal text first, as somebody would write them. */
function toRoutes({ operations }: Api): RouteNames {
  const routes = operations
    .map(({ method, segments }) => ({
      method,
      template: `/${segments.map((pieces) => pieces.map((piece) => (typeof piece === 'string' ? piece : `{${piece.name.replace(/\W/g, '_')}}`)).join('')).join('/')}`,
    }))
    .toSorted((a, b) => (rankOf(a.template) < rankOf(b.template) ? -1 : 1))
    .map(({ method, template: path_template }) => ({
      match: {
        path_match_policy: { typed_config: { path_template } },
        headers: [{ name: ':method', string_match: { exact: method } }],
      },
    }));
  const configuration = { virtual_hosts: [{ domains: ['*'], routes }] };
  const table = readRouteTable(configuration, { resolve: (value) => value, room: routes.length });
  return new RouteNames({ tables: [table], places: { [PLACE]: [0] } });
}

/** Sorts segment by segment: literal text, then text around a value, then a value. */
function rankOf(template: string): string {
  return template
    .split('/')
    .map((segment) => (segment.startsWith('{') && segment.endsWith('}') ? 2 : segment.includes('{') ? 1 : 0))
    .join('');
}

function measure(
  apis: readonly Api[],
  mix: Mix,
  list: (sent: readonly Sent[], api: Api) => ReadonlySet<string>,
): TemplatingFigures {
  const sum: Score = emptyScore();
  let f1 = 0;
  let requests = 0;
  for (const api of apis) {
    const sent = generateTraffic(api, mix);
    requests += sent.length;
    const truth = new Set(
      sent.flatMap(({ truth: operation, answer }) =>
        operation === undefined || answer !== 'answered' ? [] : [tidy(operation)],
      ),
    );
    const score = scoreSets(truth, list(sent, api));
    addScore(sum, score);
    f1 += figuresOf(score).f1;
  }
  return { ...figuresOf(sum), meanF1: f1 / apis.length, apis: apis.length, operations: sum.expected, requests };
}

/** Names of parameters do not count, and adjacent ones are one value. */
function anonymous(path: string): string {
  return tidyPath(path.replaceAll(/\{[^{}]*\}/g, '{}'));
}

function tidy(operation: string): string {
  const space = operation.indexOf(' ');
  return `${operation.slice(0, space)} ${tidyPath(operation.slice(space + 1))}`;
}

/** Literal segments in the form that requests have after normalization. */
function tidyPath(path: string): string {
  const segments = path
    .replaceAll(/(?:\{\})+/g, '\u{1}')
    .split('/')
    .flatMap((segment) => normalizePath(`/${segment}`).segments);
  return `/${segments.join('/')}`.replaceAll('%01', '{}');
}
