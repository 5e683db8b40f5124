import type { GraphqlOptions } from '@flotilla/policy';
import { ALLOW, type CompiledEngine } from '../engine.ts';
import { ContentTypes } from './content-types.ts';
import { hasInspectedMethod, hasInspectedPath } from './targets.ts';
import { PARSE_ERROR } from './verdicts.ts';

export { GRAPHQL_REASONS } from './verdicts.ts';

/** Bounds the shape and the cost of GraphQL documents, wherever in a request a server may find one. */
export function createGraphqlEngine(options: GraphqlOptions): CompiledEngine {
  const types = new ContentTypes(options);
  const prefixes = options.paths.map((path) => path.toLowerCase());
  return {
    name: 'graphql',
    decide(request) {
      if (!hasInspectedMethod(request) || !/(?:^|[&;])query=[^&;]/i.test(request.query)) return ALLOW;
      return hasInspectedPath(request, prefixes) ? PARSE_ERROR : ALLOW;
    },
    body: {
      wants: (request) =>
        hasInspectedMethod(request) &&
        types.read(request.header('content-type')).forms.length > 0 &&
        hasInspectedPath(request, prefixes),
      decide: (_, body) => (body.length === 0 ? ALLOW : PARSE_ERROR),
    },
  };
}
