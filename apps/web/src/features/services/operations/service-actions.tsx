import { Button, Menu } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { call, invalidate, routes } from '../../../api/index.ts';
import { useCan, useProject } from '../../../app/project.tsx';
import { useUrlState } from '../../../app/url-state.ts';
import { texts } from '../../../texts/index.ts';
import { Confirm, Notice, sayDone } from '../../../ui/index.ts';
import type { ServiceDetail } from '../types.ts';
import { OperationDialog } from './operation-dialog.tsx';
import { OperationMenu } from './operation-menu.tsx';
import { findOperation } from './operations.ts';
import { useMayOperate } from './use-may-operate.ts';

const text = texts.services.operations.serviceActions;

/** Deploy, the other operations, and deletion. The open dialog is part of the URL (`?do=restart&on=<client id>`). */
export function ServiceActions({ detail: { service, nodes } }: { detail: ServiceDetail }) {
  const project = useProject();
  const can = useCan();
  const url = useUrlState();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const [isDeleting, setDeleting] = useState(false);
  const mayOperate = useMayOperate();
  const asked = findOperation(url.get('do'));
  const operation = asked && mayOperate(asked) ? asked : undefined;
  const deploy = findOperation('deploy');
  const mayDeploy = deploy !== undefined && mayOperate(deploy);
  const chosenFirst = url.all('on');
  const isDeployed = nodes.some(({ deployed }) => deployed);
  const isWaiting = nodes.length === 0 || nodes.some(({ deployed }) => !deployed);

  const remove = async () => {
    await call(routes.service.remove, { params: { service_id: service.id }, query: { project: project.id } });
    await invalidate(queryClient, routes.service.list);
    sayDone(text.menu.deleted(service.name));
    await navigate({ to: '/p/$project/services', params: { project: project.name } });
  };

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
                nodes,
                clientListeners: service.client_listeners ?? [],
                missingAddresses: service.missing_addresses ?? [],
              },
            ],
            ...(chosenFirst.length > 0 && { chosenFirst }),
          }
        }
        onClose={() => url.set({ do: undefined, on: undefined })}
      />
      <Confirm
        opened={isDeleting}
        title={text.menu.deleteTitle(service.name)}
        action={text.menu.deleteAction}
        isDangerous
        isReady={!isDeployed}
        onConfirm={remove}
        onClose={() => setDeleting(false)}
      >
        {isDeployed ? (
          <Notice tone="warn" title={text.menu.stillDeployed(tellClients(nodes))}>
            <Button
              variant="default"
              size="compact-sm"
              onClick={() => {
                setDeleting(false);
                url.set({ do: 'undeploy', on: undefined }, 'push');
              }}
            >
              {text.menu.undeployFirst}
            </Button>
          </Notice>
        ) : (
          text.menu.deleteConfirmHistory
        )}
      </Confirm>
    </>
  );
}

const NAMED = 5;

function tellClients(nodes: ServiceDetail['nodes']): string {
  const names = nodes.filter(({ deployed }) => deployed).map(({ client_name }) => client_name);
  const rest = names.length - NAMED;
  return names.slice(0, NAMED).join(', ') + (rest > 0 ? text.tellClients.andMore(rest) : '');
}
