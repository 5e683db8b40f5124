import { deriveServiceLayout, formatNodeId } from '@flotilla/proto';
import type { GuardedPolicies, NodeInput } from '@flotilla/translate';
import type { ServiceNode } from '../services/index.ts';

/** One service on one client, reduced to what its configuration needs. */
export type ConfiguredNode = Omit<ServiceNode, 'envoyVersion' | 'drainTimeS' | 'adminPort' | 'runState' | 'generation'>;

export function nodeIdOf(node: ConfiguredNode): string {
  return formatNodeId({ service: node.name, project: node.projectId, clientId: node.client.id });
}

/**
 * Derives the same paths as the agent from the shared layout. `policies` are those that the service should run now;
 * undefined if they cannot be loaded.
 */
export function toNodeInput(node: ConfiguredNode, policies: GuardedPolicies | undefined): NodeInput {
  const layout = deriveServiceLayout(node.client, node.serviceId);
  return {
    nodeId: nodeIdOf(node),
    serviceName: node.name,
    bootstrap: node.bootstrap,
    listeners: node.listeners,
    addresses: node.client.addresses,
    xdsSocket: layout.xdsSocket,
    filesDir: layout.filesDir,
    shield:
      node.policies.length > 0
        ? {
            socket: layout.shieldSocket,
            threads: node.shield.threads,
            xffTrustedHops: node.shield.xffTrustedHops,
            policies,
          }
        : undefined,
    accessLogSocket: node.apiDiscovery ? layout.accessLogSocket : undefined,
  };
}
