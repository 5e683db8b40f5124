import type { GraphqlOptions } from '@flotilla/policy';
import type { Budget } from '../budget.ts';
import { listContentTypes } from '../content/content-type-lines.ts';
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
 * Bounds the shape and the cost of GraphQL documents, wherever in a request a server may look for one: in the URL, and in
 * the body in every form that the policy's content types ask for. Rules of counting and of reading are in README.md.
 */
export function createGraphqlEngine(options: GraphqlOptions): CompiledEngine {
  const types = new ContentTypes(options);
  const prefixes = options.paths.map((path) => path.toLowerCase());
  const judge = new DocumentJudge(options, shareTrustedDocuments(options.trustedDocuments));

  const isInspected = (request: RequestView) => hasInspectedMethod(request, options);

  const readTypes = (request: RequestView) => types.read(listContentTypes(request));

  const decideUrl = (request: RequestView, budget: Budget): Verdict => {
    const { ascii } = readTypes(request);
    const inspection = { judge, maxBatch: options.maxOperations, budget };
    return inspectPairs(request.query, { kind: 'url', ascii }, inspection) ?? ALLOW;
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
      if (request.query === '' || !isInspected(request) || !hasInspectedPath(request, prefixes)) return ALLOW;
      judge.begin();
      try {
        return decideUrl(request, budget);
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
          // What the URL holds has had its verdict, but counts towards what the whole request may cost.
          if (request.query !== '') decideUrl(request, budget);
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
