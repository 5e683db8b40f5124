import type { GraphqlOptions } from '@flotilla/policy';
import type { Budget } from '../budget.ts';
import { listContentTypes } from '../content/content-type-lines.ts';
import { listQueries } from '../content/sent-queries.ts';
import { upgradeOf } from '../content/upgrade.ts';
import { ALLOW, type CompiledEngine, type RequestView, type Verdict } from '../engine.ts';
import { inspectBody } from './body-documents.ts';
import { ContentTypes } from './content-types.ts';
import { DocumentJudge, releaseRoom } from './document-judge.ts';
import { inspectPairs } from './pair-documents.ts';
import { hasInspectedMethod, hasInspectedPath } from './targets.ts';
import { shareTrustedDocuments } from './trusted-documents.ts';
import { PARSE_ERROR, UPGRADE } from './verdicts.ts';

export { GRAPHQL_REASONS } from './verdicts.ts';

/**
 * Limits the shape and cost of GraphQL documents wherever a server may look for one: in the URL, and in the body in
 * every form that the policy's content types cover. README.md has the rules for counting and reading.
 */
export function createGraphqlEngine(options: GraphqlOptions): CompiledEngine {
  const types = new ContentTypes(options);
  const prefixes = options.paths.map((path) => path.toLowerCase());
  const judge = new DocumentJudge(options, shareTrustedDocuments(options.trustedDocuments));

  const isInspected = (request: RequestView) => hasInspectedMethod(request, options);

  const readTypes = (request: RequestView) => types.read(listContentTypes(request));

  const decideUrl = (request: RequestView, queries: readonly string[], budget: Budget): Verdict => {
    const { ascii } = readTypes(request);
    const inspection = { judge, maxBatch: options.maxOperations, budget };
    for (const query of queries) {
      const verdict = inspectPairs(query, { kind: 'url', ascii }, inspection);
      if (verdict !== undefined) return verdict;
    }
    return ALLOW;
  };

  return {
    name: 'graphql',
    decide(request, budget) {
      const upgrade = upgradeOf(request);
      if (upgrade !== 'none' && options.blockUpgrades === true)
        return hasInspectedPath(request, prefixes) ? UPGRADE : ALLOW;
      if (upgrade === 'other') {
        return isInspected(request) && hasInspectedPath(request, prefixes) ? PARSE_ERROR : ALLOW;
      }
      const queries = listQueries(request);
      if (queries.length === 0 || !isInspected(request) || !hasInspectedPath(request, prefixes)) return ALLOW;
      judge.begin();
      try {
        return decideUrl(request, queries, budget);
      } finally {
        releaseRoom();
      }
    },
    body: {
      wants: (request) =>
        isInspected(request) &&
        upgradeOf(request) === 'none' &&
        readTypes(request).forms.length > 0 &&
        hasInspectedPath(request, prefixes),
      decide(request, body, budget) {
        judge.begin();
        try {
          // The URL was already judged, but counts towards the limits of the whole request.
          const queries = listQueries(request);
          if (queries.length > 0) decideUrl(request, queries, budget);
          const reading = readTypes(request);
          return inspectBody(body, reading, { judge, maxBatch: options.maxOperations, budget }) ?? ALLOW;
        } finally {
          releaseRoom();
        }
      },
    },
    withheld: undefined,
    limiter: undefined,
  };
}
