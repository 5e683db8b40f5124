import { referencedFiles } from '../bundle.ts';
import { isPolicyFile } from '../bundle-path.ts';
import { checkDocument } from '../document-checks.ts';
import { EDGES_FILE } from '../edges.ts';
import { toProblems } from '../load.ts';
import type { Complaint, LoadProblem } from '../problem.ts';
import { type PolicyFile, readYamlSource } from '../yaml-source.ts';
import { findDefaultsWarnings } from './defaults-warnings.ts';
import { findDomainWarnings } from './domain-warnings.ts';
import { readWrittenDomains, type WrittenDomain } from './written-policy.ts';

/** Something that is allowed but probably a mistake. Has the shape of a load problem, but nothing is rejected. */
export type PolicyWarning = LoadProblem;

export interface PolicyWarningOptions {
  /** True if no controller will add the number of proxies to the bundle. */
  readonly standsAlone?: boolean;
}

/** Maximum number of listed warnings. */
const WARNINGS_MAX = 500;

/**
 * Finds what is allowed but probably a mistake: ignored fields, routes and blocks that never apply, unused scopes,
 * documents that protect nothing, unused data files. Skips invalid documents, whose problems come first.
 */
export function findPolicyWarnings(
  files: readonly PolicyFile[],
  { standsAlone = false }: PolicyWarningOptions = {},
): PolicyWarning[] {
  const warnings: PolicyWarning[] = [];
  const named = new Set<string>([EDGES_FILE]);
  const areEdgesUnknown = standsAlone && !files.some(({ path }) => path === EDGES_FILE);
  for (const file of files.filter(({ path }) => isPolicyFile(path)).sort((a, b) => (a.path < b.path ? -1 : 1))) {
    const source = readYamlSource(file);
    if (!source.ok || checkDocument(source.value.value).length > 0) continue;
    const { value } = source.value;
    const domains = readWrittenDomains(value);
    const complaints = [
      ...findDefaultsWarnings(value, domains),
      ...domains.flatMap((domain) => findDomainWarnings(domain, value)),
      ...(areEdgesUnknown ? domains.flatMap(findLoneShares) : []),
    ];
    warnings.push(...toProblems(source.value, complaints));
    const text = typeof file.content === 'string' ? file.content : Buffer.from(file.content).toString('utf8');
    for (const name of referencedFiles(text)) named.add(name);
  }
  for (const { path } of files) {
    if (isPolicyFile(path) || named.has(path)) continue;
    const message = 'is not used by any policy of the bundle';
    warnings.push({ file: path, line: 1, column: 1, field: '', rule: 'file.unused', message });
  }
  return warnings.slice(0, WARNINGS_MAX);
}

/** Finds shared limits for which nobody provides the number of proxies. */
function findLoneShares({ domain, routes }: WrittenDomain): Complaint[] {
  return [domain, ...routes].flatMap(({ blocks }) =>
    blocks.flatMap(({ engine, value, path }): Complaint[] => {
      if (engine !== 'rate_limit' || value.share !== 'fleet') return [];
      const message = `counts as one proxy: the bundle has no ${EDGES_FILE} with their number`;
      return [{ path: [...path, 'share'], rule: 'rate_limit.edges_unknown', message }];
    }),
  );
}
