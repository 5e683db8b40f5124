/** Envoy's `node.id`: one service on one client. Names must not contain `::`. */
export interface NodeId {
  readonly service: string;
  readonly project: string;
  readonly clientId: string;
}

export function formatNodeId({ service, project, clientId }: NodeId): string {
  return `${service}::${project}::${clientId}`;
}

export function parseNodeId(text: string): NodeId | undefined {
  const [service, project, clientId, ...rest] = text.split('::');
  if (!service || !project || !clientId || rest.length > 0) return undefined;
  return { service, project, clientId };
}
