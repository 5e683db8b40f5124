import { deriveServiceLayout, formatNodeId } from '@flotilla/proto';
import type { GuardedPolicies, NodeInput } from '@flotilla/translate';

/** One service on one client, as the services feature tells of it. */
export interface ConfiguredNode {
  readonly serviceId: string;
  readonly name: string;
  readonly projectId: string;
  readonly version: string;
  readonly bootstrap: string;
  readonly listeners: readonly string[];
  readonly policies: readonly string[];
  readonly shield: { readonly threads: number; readonly xffTrustedHops: number };
  readonly client: {
    readonly id: string;
    readonly addresses: readonly string[];
    readonly runtimeDir: string;
    readonly dataDir: string;
  };
}

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
