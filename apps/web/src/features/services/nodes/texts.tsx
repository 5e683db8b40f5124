import type { ReactNode } from 'react';

export const texts = {
  nodeDetails: {
    clientSays: 'Reported by the client',
    notGenerated: 'Not generated',
    adminPortTaken: 'The admin port belongs to another process',
    policiesRefused: 'The filter rejected its policies and runs the last good ones',
    resourcesOf: (clientName: string | number) => `Resources of ${clientName}`,
    phase: 'Phase',
    nothingReported: 'Nothing was reported yet',
    since: 'In this phase for',
    wanted: 'Wanted',
    nothingListed: 'Nothing: assigned only',
    connection: 'Connection',
    connected: 'Connected',
    notConnected: 'Not connected',
    generationApplied: 'Generation applied',
    generationOf: (appliedGeneration: string | number, generation: string | number) =>
      `${appliedGeneration}, wanted ${generation}`,
    envoyRunning: 'Envoy running',
    envoyWanted: 'Envoy wanted',
    restarts: 'Restarts of Envoy',
    shield: 'Filter',
    shieldRunning: 'Running',
    shieldNotRunning: 'Not running',
    policyDigest: 'Policy digest',
    policyDigestName: 'policy digest',
    bootstrapDigest: 'Bootstrap digest',
    bootstrapDigestName: 'bootstrap digest',
    rollout: 'Rollout',
    snapshot: 'Snapshot',
    snapshotName: 'snapshot version',
    addresses: 'Addresses',
    adminPort: 'Admin port',
    nodeId: 'Node ID',
    nodeIdName: 'node ID',
  },
  nodeState: {
    notDeployed: 'Not Deployed',
    whyLeaving: 'Being undeployed',
    whyListed: 'Assigned with a reserved port; runs nothing yet',
    whyUnreachable:
      'The connection to the agent was lost. The proxy keeps running with its last configuration; its state cannot be seen from here',
    waiting: 'Waiting',
    whyWaiting: 'The client has not reported this service yet',
    whyWithErrors: 'Part of the configuration does not run',
    failed: 'Failed',
    whyFailed: 'The client reports no reason',
    refused: 'Refused',
    whyRefused: (refused: string | number, total: string | number) =>
      `Envoy refused ${refused} of ${total} resources and runs the last good ones`,
    whyPoliciesRefused: (policyError: string | number) => `The filter rejected its policies: ${policyError}`,
    stopped: 'Stopped',
    whyStopped: 'Stopped by a command',
    whyStoppedThough: 'Stopped, but it should run',
    rollingOutOf: (live: string | number, total: string | number) => `Rolling out ${live} of ${total}`,
    rollingOut: 'Rolling out',
    whyGenerationBehind: (generation: string | number, appliedGeneration: string | number) =>
      `Generation ${generation} is wanted, ${appliedGeneration} is applied`,
    whyRollingOut: 'Envoy is loading the newest resources',
    held: 'Held',
    whyHeld: (held: string | number, total: string | number) =>
      `${held} of ${total} resources wait for others that were refused`,
    preparing: 'Preparing',
    whyPreparing: 'The client is fetching, checking or starting what it needs',
    removed: 'Removed',
    whyRemoved: 'The client has removed everything of the service',
    running: 'Running',
    whyRunning: (total: string | number) => `All ${total} resources are in use`,
  },
  nodeTable: {
    table: {
      title: 'Nodes',
      client: 'Client',
      state: 'State',
      since: 'For',
      resourcesLive: 'Resources live',
      envoy: 'Envoy',
      addresses: 'Addresses',
      adminPort: 'Admin port',
    },
    resources: {
      refused: (refused: string | number) => `${refused} refused`,
      held: (held: string | number) => `${held} held`,
    },
  },
  nodesTab: {
    tab: {
      emptyTitle: 'No clients yet',
      deploy: 'Deploy to clients',
      empty:
        'Each client that the service is deployed to is a node. This page compares what it should run with what it runs.',
      search: 'Search nodes',
      searches: 'Client, address, state',
      countOf: (shown: ReactNode, total: ReactNode) => (
        <>
          {shown} of {total} nodes
        </>
      ),
      list: 'Nodes',
      showMore: (rest: ReactNode) => <>Show more of {rest}</>,
    },
    node: {
      details: (clientName: string | number) => `Details of ${clientName}`,
      envoy: (envoyVersion: ReactNode) => <>Envoy {envoyVersion}</>,
      resources: (resources: ReactNode) => <>Resources {resources}</>,
      reported: (time: ReactNode) => <>reported {time}</>,
      actions: (clientName: string | number) => `Actions on ${clientName}`,
    },
  },
  resourceTable: {
    why: {
      waiting: 'Not sent to Envoy yet: its dependencies come first',
      sent: 'Sent to Envoy, no answer yet',
      acknowledged: 'Envoy accepted it, but does not use it yet',
      warmed: 'In use',
      refused: 'Envoy refused it and runs the previous version',
      held: 'Held back because one of its dependencies was refused',
      unspecified: 'Not reported by the agent',
    },
    table: {
      state: 'State',
      name: 'Name',
      type: 'Type',
      wanted: 'Wanted',
      live: 'Live',
    },
    resourceName: {
      madeByController: 'Generated by the controller',
    },
  },
};
