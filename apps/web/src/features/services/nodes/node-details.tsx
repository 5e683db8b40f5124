import { texts } from '../../../texts/index.ts';
import { Copy, Facts, Notice, Time, toWord } from '../../../ui/index.ts';
import type { Service, ServiceNode } from '../types.ts';
import { isBehind } from './node-state.ts';
import classes from './nodes.module.css';
import { ResourceTable } from './resource-table.tsx';

const words = texts.services.nodes.nodeDetails;

interface NodeDetailsProps {
  readonly node: ServiceNode;
  readonly service: Service;
  readonly known: ReadonlySet<string>;
}

/** Everything that is known of a node: wanted beside live, then each resource. */
export function NodeDetails({ node, service, known }: NodeDetailsProps) {
  return (
    <div className={classes.details}>
      {node.error && (
        <Notice tone="bad" title={words.title}>
          {node.error}
        </Notice>
      )}
      {node.policy_error && (
        <Notice tone="bad" title={words.titleFilterRefused}>
          {node.policy_error}
        </Notice>
      )}
      {node.rollout && (
        <ResourceTable
          resources={node.rollout.resources}
          version={service.version}
          known={known}
          label={words.label(node.client_name)}
        />
      )}
      <Facts
        facts={[
          [words.factPhase, node.phase ? toWord(node.phase) : words.factsNothingReported],
          [words.factSince, <Time key="since" at={node.since} empty="–" />],
          [words.factWanted, node.deployed ? toWord(node.run_state) : words.factsNothingListed],
          [words.factConnection, node.connected ? words.factsConnected : words.factsNotConnected],
          [
            words.factGenerationApplied,
            isBehind(node) ? words.facts(node.applied_generation, node.generation) : String(node.applied_generation),
          ],
          [words.factEnvoyRunning, node.envoy_version],
          [words.factEnvoyWanted, node.envoy_version_wanted],
          [words.factRestartsEnvoy, String(node.restarts)],
          [words.factFilter, node.shield_running ? words.factsRunning : words.factsNotRunning],
          [words.factDigestPolicies, digest(node.policy_digest, words.factsDigestPolicies)],
          [words.factDigestBootstrap, digest(node.bootstrap_digest, words.factsDigestBootstrap)],
          [words.factRollout, node.rollout ? toWord(node.rollout.state) : null],
          [words.factSnapshot, digest(node.rollout?.snapshot_version ?? null, words.factsVersionSnapshot)],
          [words.factAddresses, node.addresses.join(', ')],
          [words.factAdminPort, node.admin_port === null ? null : String(node.admin_port)],
          [
            words.factNodeId,
            <span key="node" className="mono">
              {node.node_id} <Copy text={node.node_id} what={words.what} />
            </span>,
          ],
        ]}
      />
    </div>
  );
}

function digest(text: string | null, what: string) {
  if (text === null) return null;
  return (
    <>
      <span className={`mono ${classes.digest}`} title={text}>
        {text.slice(0, 12)}
      </span>{' '}
      <Copy text={text} what={what} />
    </>
  );
}
