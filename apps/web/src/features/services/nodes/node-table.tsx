import { ClientLink, ServiceLink } from '../../../app/links.tsx';
import { Duration, State } from '../../../ui/index.ts';
import classes from '../service.module.css';
import { isWhole, type Service, type ServiceNode } from '../types.ts';
import { countResources, deriveNodeState } from './node-state.ts';
import { texts } from './texts.tsx';

const text = texts.nodeTable;

export function NodeTable({ nodes, service }: { nodes: readonly ServiceNode[]; service: Service }) {
  return (
    <div className={`${classes.panel} ${classes.scroll}`}>
      <table className={classes.table} aria-label={text.table.title}>
        <thead>
          <tr>
            <th>{text.table.client}</th>
            <th>{text.table.state}</th>
            <th>{text.table.since}</th>
            <th>{text.table.resourcesLive}</th>
            <th>{text.table.envoy}</th>
            {isWhole(service) && <th>{text.table.addresses}</th>}
            {isWhole(service) && <th>{text.table.adminPort}</th>}
          </tr>
        </thead>
        <tbody>
          {nodes.map((node) => (
            <tr key={node.client_id}>
              <td>
                <ClientLink id={node.client_id} name={node.client_name} />
              </td>
              <td className={classes.nowrap}>
                <ServiceLink id={service.id} tab="nodes">
                  <State {...deriveNodeState(node)} />
                </ServiceLink>
              </td>
              <td className={classes.nowrap}>
                <Duration since={node.state_since} empty="–" />
              </td>
              <td className={classes.nowrap}>
                <Resources node={node} />
              </td>
              <td className={classes.nowrap}>
                <EnvoyVersion node={node} />
              </td>
              {isWhole(service) && <td>{node.addresses?.join(', ') || '–'}</td>}
              {isWhole(service) && <td>{node.admin_port ?? '–'}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

export function Resources({ node }: { node: ServiceNode }) {
  const { total, live, refused, held } = countResources(node);
  if (total === 0) return '–';
  const rest = [refused > 0 && text.resources.refused(refused), held > 0 && text.resources.held(held)]
    .filter(Boolean)
    .join(', ');
  return `${live} of ${total}${rest ? ` (${rest})` : ''}`;
}

export function EnvoyVersion({ node }: { node: ServiceNode }) {
  if (node.envoy_version === node.envoy_version_wanted) return node.envoy_version;
  return `${node.envoy_version ?? 'none'} → ${node.envoy_version_wanted}`;
}
