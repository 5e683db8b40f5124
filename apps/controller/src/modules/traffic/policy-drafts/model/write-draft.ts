import { Document, isMap, isSeq, type YAMLMap } from 'yaml';
import type { DraftDomain, DraftRoute, Skip } from './plan.ts';
import { explainSkips } from './skips.ts';

/** The draft as YAML, with the reasons of each route as comments above it. */
export function writeDraft(
  document: Record<string, unknown>,
  domains: readonly DraftDomain[],
  { skipped, remarks }: { readonly skipped: readonly Skip[]; readonly remarks: readonly string[] },
): string {
  const yaml = new Document(document);
  yaml.commentBefore = [
    ' A draft from recorded traffic. It detects and blocks nothing. Replace what begins with "REPLACE".',
    ...remarks.map((text) => ` ${text}`),
    ...explainSkips(skipped).map(({ text }) => ` Left out: ${text}`),
  ].join('\n');
  const nodes = yaml.getIn(['spec', 'domains']);
  if (!isSeq(nodes)) return yaml.toString();
  for (const [index, domain] of domains.entries()) {
    const node = nodes.items[index];
    const routes = isMap(node) ? node.get('routes') : undefined;
    if (!isSeq(routes)) continue;
    const written = domain.routes.filter(({ engines }) => Object.keys(engines).length > 0);
    for (const [place, route] of written.entries()) {
      const item = routes.items[place];
      if (isMap(item)) describe(item, route);
    }
  }
  return yaml.toString({ lineWidth: 0 });
}

function describe(item: YAMLMap, { rationale }: DraftRoute): void {
  const { methods, hosts, engines, notes } = rationale;
  const lines = [
    `Seen: ${methods.join(', ')}${hosts.length > 1 ? ` at ${hosts.join(', ')}` : ''}`,
    ...engines.map(({ engine, why }) => `${engine}: ${why}`),
    ...notes.map(({ text }) => `Not in this policy: ${text}`),
  ];
  // A line end would end the comment.
  item.commentBefore = lines.map((line) => ` ${line.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ')}`).join('\n');
}
