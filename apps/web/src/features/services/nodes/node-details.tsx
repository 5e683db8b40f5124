import { Copy, Facts, Notice, Time, toWord } from '../../../ui/index.ts';
import type { Service, ServiceNode } from '../types.ts';
import { isBehind } from './node-state.ts';
import classes from './nodes.module.css';
import { ResourceTable } from './resource-table.tsx';

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
        <Notice tone="bad" title="The client says">
          {node.error}
        </Notice>
      )}
      {node.policy_error && (
        <Notice tone="bad" title="The filter refused its policies and runs the last good ones">
          {node.policy_error}
        </Notice>
      )}
      {node.rollout && (
        <ResourceTable
          resources={node.rollout.resources}
          version={service.version}
          known={known}
          label={`Resources of ${node.client_name}`}
        />
      )}
      <Facts
        facts={[
          ['Phase', node.phase ? toWord(node.phase) : 'Nothing was reported yet'],
          ['In it since', <Time key="since" at={node.since} empty="–" />],
          ['Wanted', node.deployed ? toWord(node.run_state) : 'Nothing: it is listed only'],
          ['Connection', node.connected ? 'Connected' : 'Not connected'],
          [
            'Generation applied',
            isBehind(node) ? `${node.applied_generation}, wanted ${node.generation}` : String(node.applied_generation),
          ],
          ['Envoy running', node.envoy_version],
          ['Envoy wanted', node.envoy_version_wanted],
          ['Restarts of Envoy', String(node.restarts)],
          ['Filter', node.shield_running ? 'Running' : 'Not running'],
          ['Digest of its policies', digest(node.policy_digest, 'digest of the policies')],
          ['Digest of its bootstrap', digest(node.bootstrap_digest, 'digest of the bootstrap')],
          ['Rollout', node.rollout ? toWord(node.rollout.state) : null],
          ['Snapshot', digest(node.rollout?.snapshot_version ?? null, 'version of the snapshot')],
          ['Addresses', node.addresses.join(', ')],
          ['Admin port', node.admin_port === null ? null : String(node.admin_port)],
          [
            'Node id',
            <span key="node" className="mono">
              {node.node_id} <Copy text={node.node_id} what="node id" />
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
