import { Copy, Duration, Facts, Notice, toWord } from '../../../ui/index.ts';
import { FixLink } from '../fix-link.tsx';
import { listNotGenerated } from '../not-generated.ts';
import { type ConfigError, isWhole, type Service, type ServiceNode } from '../types.ts';
import { isBehind } from './node-state.ts';
import classes from './nodes.module.css';
import { ResourceTable } from './resource-table.tsx';
import { texts } from './texts.tsx';

const words = texts.nodeDetails;

interface NodeDetailsProps {
  readonly node: ServiceNode;
  readonly service: Service;
  readonly errors: readonly ConfigError[];
  readonly known: ReadonlySet<string>;
}

/** Shows all details of a node: desired state beside actual state, then each resource. */
export function NodeDetails({ node, service, errors, known }: NodeDetailsProps) {
  const missing = listNotGenerated(errors).filter(({ client_id }) => client_id === node.client_id);
  return (
    <div className={classes.details}>
      {node.error && (
        <Notice tone="bad" title={words.clientSays}>
          {node.error}
        </Notice>
      )}
      {node.policy_error && (
        <Notice tone="bad" title={words.policiesRefused}>
          {node.policy_error}
        </Notice>
      )}
      {node.admin_error && (
        <Notice tone="bad" title={words.adminPortTaken}>
          {node.admin_error}
        </Notice>
      )}
      {missing.length > 0 && (
        <Notice tone="bad" title={words.notGenerated}>
          <ul style={{ margin: 0, paddingInlineStart: 18 }}>
            {missing.map((error) => (
              <li key={error.id}>
                <bdi>{error.message}</bdi>
                <FixLink fixAt={error.fix_at} service={service} known={known} />
              </li>
            ))}
          </ul>
        </Notice>
      )}
      {node.rollout && (
        <ResourceTable
          resources={node.rollout.resources}
          version={service.version}
          known={known}
          label={words.resourcesOf(node.client_name)}
        />
      )}
      <NodeFacts node={node} service={service} />
    </div>
  );
}

function NodeFacts({ node, service }: Pick<NodeDetailsProps, 'node' | 'service'>) {
  return (
    <Facts
      facts={[
        [words.phase, node.phase ? toWord(node.phase) : words.nothingReported],
        [words.since, <Duration key="since" since={node.since} empty="–" />],
        [words.wanted, node.deployed ? toWord(node.run_state) : words.nothingListed],
        [words.connection, node.connected ? words.connected : words.notConnected],
        [
          words.generationApplied,
          isBehind(node)
            ? words.generationOf(node.applied_generation, node.generation)
            : String(node.applied_generation),
        ],
        [words.envoyRunning, node.envoy_version],
        [words.envoyWanted, node.envoy_version_wanted],
        [words.drainTime, words.seconds(node.drain_time_seconds)],
        [words.restarts, String(node.restarts)],
        [words.shield, node.shield_running ? words.shieldRunning : words.shieldNotRunning],
        [words.policyDigest, digest(node.policy_digest, words.policyDigestName)],
        [words.bootstrapDigest, digest(node.bootstrap_digest, words.bootstrapDigestName)],
        [words.rollout, node.rollout ? toWord(node.rollout.state) : null],
        [words.snapshot, digest(node.rollout?.snapshot_version ?? null, words.snapshotName)],
        ...(isWhole(service)
          ? ([
              [words.addresses, node.addresses?.join(', ')],
              [words.adminPort, node.admin_port && String(node.admin_port)],
            ] as const)
          : []),
        [
          words.nodeId,
          <span key="node" className="mono">
            {node.node_id} <Copy text={node.node_id} what={words.nodeIdName} />
          </span>,
        ],
      ]}
    />
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
