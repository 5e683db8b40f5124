import { deriveServiceLayout, formatNodeId } from '@flotilla/proto';
import type { GuardedPolicies, NodeInput } from '@flotilla/translate';
import type { ServiceNode } from '../services/index.ts';

/** One service on one client, as far as its configuration goes. */
export type ConfiguredNode = Omit<ServiceNode, 'envoyVersion' | 'adminPort' | 'runState' | 'generation'>;

export function nodeIdOf(node: ConfiguredNode): string {
  return formatNodeId({ service: node.name, project: node.projectId, clientId: node.client.id });
}

/**
 * The same paths as the agent makes: both derive them from the layout. `policies` are those that the service should run now;
 * undefined where they cannot be read.
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
  };
}
