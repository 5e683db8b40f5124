import { DocumentLink } from '../../../app/links.tsx';
import type { GraphNode } from './graph-model.ts';

/** Links to the document, if it exists. */
export function GraphName({ node, version }: { node: GraphNode; version: string }) {
  if (node.collection === 'services' || node.isMissing || node.isStatic) return <bdi className="mono">{node.name}</bdi>;
  return <DocumentLink collection={node.collection} name={node.name} version={version} />;
}
