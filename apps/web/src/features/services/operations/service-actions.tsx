import { Button, Menu } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { routes } from '../../../api/index.ts';
import { useCan, useProject } from '../../../app/project.tsx';
import { useUrlState } from '../../../app/url-state.ts';
import { Confirm, Notice, useWrite } from '../../../ui/index.ts';
import type { ServiceDetail } from '../types.ts';
import { OperationDialog } from './operation-dialog.tsx';
import { OperationMenu } from './operation-menu.tsx';
import { findOperation } from './operations.ts';
import { texts } from './texts.tsx';
import { useMayOperate } from './use-may-operate.ts';

const text = texts.serviceActions;

/** Buttons to deploy and delete, and a menu of the other operations. The open dialog is part of the URL (`?do=restart&on=<client id>`). */
export function ServiceActions({ detail }: { detail: ServiceDetail }) {
  const { service, nodes } = detail;
  const can = useCan();
  const url = useUrlState();
  const [isDeleting, setDeleting] = useState(false);
  const mayOperate = useMayOperate();
  const asked = findOperation(url.get('do'));
  const operation = asked && mayOperate(asked) ? asked : undefined;
  const deploy = findOperation('deploy');
  const mayDeploy = deploy !== undefined && mayOperate(deploy);
  const chosenFirst = url.all('on');
  const isDeployed = nodes.some(({ deployed }) => deployed);
  const isWaiting = nodes.length === 0 || nodes.some(({ deployed }) => !deployed);

  return (
    <>
      <OperationMenu
        label={text.menu.actions}
        without={isWaiting ? ['deploy'] : []}
        hasNodes={isDeployed}
        onChoose={({ id }) => url.set({ do: id, on: undefined }, 'push')}
        more={
          can(routes.service.remove) && (
            <Menu.Item color="red.9" onClick={() => setDeleting(true)}>
              {text.menu.delete}
            </Menu.Item>
          )
        }
      />
      {isWaiting && mayDeploy && (
        <Button onClick={() => url.set({ do: 'deploy', on: undefined }, 'push')}>{text.menu.deploy}</Button>
      )}
      <OperationDialog
        order={
          operation && {
            operation,
            targets: [
              {
                id: service.id,
                name: service.name,
                version: service.version,
                nodes: nodes.map((node) => ({
                  ...node,
                  wanted: node.envoy_version_wanted,
                  drainTime: node.drain_time_seconds,
                })),
                clientListeners: service.client_listeners ?? [],
                missingAddresses: service.missing_addresses ?? [],
              },
            ],
            ...(chosenFirst.length > 0 && { chosenFirst }),
          }
        }
        onClose={() => url.set({ do: undefined, on: undefined })}
      />
      <DeleteService detail={detail} opened={isDeleting} onClose={() => setDeleting(false)} />
    </>
  );
}

interface DeleteServiceProps {
  readonly detail: ServiceDetail;
  readonly opened: boolean;
  readonly onClose: () => void;
}

function DeleteService({ detail: { service, nodes }, opened, onClose }: DeleteServiceProps) {
  const project = useProject();
  const url = useUrlState();
  const navigate = useNavigate();
  const write = useWrite();
  const isDeployed = nodes.some(({ deployed }) => deployed);
  const remove = async () => {
    await write(
      routes.service.remove,
      { params: { service_id: service.id }, query: { project: project.id } },
      { done: text.menu.deleted(service.name), stale: [routes.service.list] },
    );
    await navigate({ to: '/p/$project/services', params: { project: project.name } });
  };
  const undeploy = () => {
    onClose();
    url.set({ do: 'undeploy', on: undefined }, 'push');
  };
  return (
    <Confirm
      opened={opened}
      title={text.menu.deleteTitle(service.name)}
      action={text.menu.deleteAction}
      isDangerous
      isReady={!isDeployed}
      onConfirm={remove}
      onClose={onClose}
    >
      {isDeployed ? (
        <Notice tone="warn" title={text.menu.stillDeployed(tellClients(nodes))}>
          <Button variant="default" size="compact-sm" onClick={undeploy}>
            {text.menu.undeployFirst}
          </Button>
        </Notice>
      ) : (
        text.menu.deleteConfirmHistory
      )}
    </Confirm>
  );
}

const NAMED = 5;

function tellClients(nodes: ServiceDetail['nodes']): string {
  const names = nodes.filter(({ deployed }) => deployed).map(({ client_name }) => client_name);
  const rest = names.length - NAMED;
  return names.slice(0, NAMED).join(', ') + (rest > 0 ? text.tellClients.andMore(rest) : '');
}
