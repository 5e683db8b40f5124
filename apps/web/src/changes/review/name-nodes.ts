/** Returns readable names of node IDs: the client, and its service unless all nodes belong to one. */
export function nameNodes(nodes: readonly string[], nameOf: (clientId: string) => string): readonly string[] {
  const parts = nodes.map((node) => {
    const [service = node, , clientId] = node.split('::');
    return { service, client: clientId === undefined ? undefined : nameOf(clientId) };
  });
  const isOfOne = new Set(parts.map(({ service }) => service)).size === 1;
  return parts.map(({ service, client }) => {
    if (client === undefined) return service;
    return isOfOne ? client : `${client} (${service})`;
  });
}
