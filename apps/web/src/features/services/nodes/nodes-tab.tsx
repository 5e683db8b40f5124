import { Button, TextInput, UnstyledButton } from '@mantine/core';
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import { ClientLink } from '../../../app/links.tsx';
import { useUrlState } from '../../../app/url-state.ts';
import { Empty, State, Time } from '../../../ui/index.ts';
import { OperationMenu } from '../operations/operation-menu.tsx';
import { findOperation } from '../operations/operations.ts';
import { useMayOperate } from '../operations/use-may-operate.ts';
import shared from '../service.module.css';
import type { ServiceDetail, ServiceNode } from '../types.ts';
import { useKnownDocuments } from '../use-service.ts';
import { NodeDetails } from './node-details.tsx';
import { deriveNodeState, fitsNode, sortNodes } from './node-state.ts';
import { EnvoyVersion, Resources } from './node-table.tsx';
import classes from './nodes.module.css';
import { texts } from './texts.tsx';

const text = texts.nodesTab;

const NODES_SHOWN = 50;
const SEARCH_FROM = 8;

/** Compares what each client should run with what it runs. Open rows are part of the URL (`?node=<client id>&nodes=<search>`). */
export function NodesTab({ detail: { service, nodes, errors } }: { detail: ServiceDetail }) {
  const url = useUrlState();
  const known = useKnownDocuments(service);
  const open = url.all('node');
  if (nodes.length === 0) return <DeployedNowhere />;
  const isAlone = nodes.length === 1;
  const isOpen = (node: ServiceNode) => (isAlone ? !open.includes('none') : open.includes(node.client_id));
  const toggle = (node: ServiceNode) => {
    if (isAlone) return url.set({ node: isOpen(node) ? 'none' : undefined });
    const next = isOpen(node) ? open.filter((id) => id !== node.client_id) : [...open, node.client_id];
    url.set({ node: next.length > 0 ? next : undefined });
  };
  const find = url.get('nodes') ?? '';
  const fitting = sortNodes(nodes).filter((node) => fitsNode(node, find));
  const shown = fitting.slice(0, Number(url.get('rows')) || NODES_SHOWN);
  return (
    <div className={`${shared.stack} ${shared.tight}`}>
      {nodes.length > SEARCH_FROM && (
        <div className={shared.bar}>
          <TextInput
            size="xs"
            type="search"
            aria-label={text.tab.search}
            placeholder={text.tab.searches}
            value={find}
            onChange={(event) => url.set({ nodes: event.currentTarget.value || undefined })}
          />
          <span className={shared.side} role="status">
            {text.tab.countOf(fitting.length, nodes.length)}
          </span>
        </div>
      )}
      <ul className={classes.nodes} aria-label={text.tab.list}>
        {shown.map((node) => (
          <NodeItem
            key={node.client_id}
            {...{ node, service, errors, known }}
            isOpen={isOpen(node)}
            onToggle={() => toggle(node)}
          />
        ))}
      </ul>
      {fitting.length > shown.length && (
        <div>
          <Button variant="default" onClick={() => url.set({ rows: String(shown.length + NODES_SHOWN) })}>
            {text.tab.showMore(fitting.length - shown.length)}
          </Button>
        </div>
      )}
    </div>
  );
}

function DeployedNowhere() {
  const url = useUrlState();
  const mayOperate = useMayOperate();
  const deploy = findOperation('deploy');
  return (
    <Empty
      title={text.tab.emptyTitle}
      action={
        deploy &&
        mayOperate(deploy) && <Button onClick={() => url.set({ do: deploy.id }, 'push')}>{text.tab.deploy}</Button>
      }
    >
      {text.tab.empty}
    </Empty>
  );
}

interface NodeItemProps {
  readonly node: ServiceNode;
  readonly service: ServiceDetail['service'];
  readonly errors: ServiceDetail['errors'];
  readonly known: ReadonlySet<string>;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

function NodeItem({ node, service, errors, known, isOpen, onToggle }: NodeItemProps) {
  const url = useUrlState();
  return (
    <li className={classes.node}>
      <div className={classes.head}>
        <UnstyledButton
          className={classes.toggle}
          aria-expanded={isOpen}
          aria-label={text.node.details(node.client_name)}
          onClick={onToggle}
        >
          {isOpen ? <IconChevronDown size={16} /> : <IconChevronRight size={16} />}
        </UnstyledButton>
        <span className={classes.name}>
          <ClientLink id={node.client_id} name={node.client_name} />
        </span>
        <State {...deriveNodeState(node)} />
        <span className={classes.quiet}>{text.node.envoy(<EnvoyVersion node={node} />)}</span>
        <span className={classes.quiet}>{text.node.resources(<Resources node={node} />)}</span>
        <span className={classes.quiet}>{text.node.reported(<Time at={node.reported_at} />)}</span>
        <span className={classes.actions}>
          <OperationMenu
            label={text.node.actions(node.client_name)}
            isSmall
            hasNodes={node.deployed}
            onChoose={({ id }) => url.set({ do: id, on: node.client_id }, 'push')}
          />
        </span>
      </div>
      {isOpen && <NodeDetails node={node} service={service} errors={errors} known={known} />}
    </li>
  );
}
