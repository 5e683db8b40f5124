import { Button, UnstyledButton } from '@mantine/core';
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import { routes } from '../../../api/index.ts';
import { useCan } from '../../../app/project.tsx';
import { useUrlState } from '../../../app/url-state.ts';
import { Empty, State, Time } from '../../../ui/index.ts';
import { ClientLink } from '../links.tsx';
import { OperationMenu } from '../operations/operation-menu.tsx';
import type { ServiceDetail, ServiceNode } from '../types.ts';
import { useKnownDocuments } from '../use-service.ts';
import { NodeDetails } from './node-details.tsx';
import { deriveNodeState } from './node-state.ts';
import { EnvoyVersion, Resources } from './node-table.tsx';
import classes from './nodes.module.css';

/** Each client: what it should run and what it runs. Which ones are open is part of the URL (`?node=<client id>`). */
export function NodesTab({ detail: { service, nodes } }: { detail: ServiceDetail }) {
  const url = useUrlState();
  const can = useCan();
  const known = useKnownDocuments(service);
  const open = url.all('node');
  if (nodes.length === 0)
    return (
      <Empty
        title="No clients yet"
        action={
          can(routes.service.patch) && (
            <Button onClick={() => url.set({ do: 'deploy' }, 'push')}>Deploy to clients</Button>
          )
        }
      >
        Every client that the service is deployed to is a node: here you see what it should run and what it runs.
      </Empty>
    );
  const isOpen = (node: ServiceNode) => (nodes.length === 1 ? !open.includes('none') : open.includes(node.client_id));
  const toggle = (node: ServiceNode) => {
    if (nodes.length === 1) return url.set({ node: isOpen(node) ? 'none' : undefined });
    const next = isOpen(node) ? open.filter((id) => id !== node.client_id) : [...open, node.client_id];
    url.set({ node: next.length > 0 ? next : undefined });
  };
  return (
    <ul className={classes.nodes} aria-label="Nodes">
      {nodes.map((node) => (
        <li key={node.client_id} className={classes.node}>
          <div className={classes.head}>
            <UnstyledButton
              className={classes.toggle}
              aria-expanded={isOpen(node)}
              aria-label={`Details of ${node.client_name}`}
              onClick={() => toggle(node)}
            >
              {isOpen(node) ? <IconChevronDown size={16} /> : <IconChevronRight size={16} />}
            </UnstyledButton>
            <span className={classes.name}>
              <ClientLink id={node.client_id} name={node.client_name} />
            </span>
            <State {...deriveNodeState(node)} />
            <span className={classes.quiet}>
              Envoy <EnvoyVersion node={node} />
            </span>
            <span className={classes.quiet}>
              Resources <Resources node={node} />
            </span>
            <span className={classes.quiet}>
              reported <Time at={node.reported_at} />
            </span>
            {can(routes.service.patch) && (
              <span className={classes.actions}>
                <OperationMenu
                  label="Actions"
                  hasNodes={node.deployed}
                  onChoose={({ id }) => url.set({ do: id, on: node.client_id }, 'push')}
                />
              </span>
            )}
          </div>
          {isOpen(node) && <NodeDetails node={node} service={service} known={known} />}
        </li>
      ))}
    </ul>
  );
}
