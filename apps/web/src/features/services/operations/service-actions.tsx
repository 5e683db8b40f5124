import { Button, Menu } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { call, invalidate, routes } from '../../../api/index.ts';
import { useCan, useProject } from '../../../app/project.tsx';
import { useUrlState } from '../../../app/url-state.ts';
import { Confirm, sayDone } from '../../../ui/index.ts';
import type { ServiceDetail } from '../types.ts';
import { OperationDialog } from './operation-dialog.tsx';
import { OperationMenu } from './operation-menu.tsx';
import { findOperation } from './operations.ts';

/** Deploy, the other operations, and deletion. The opened dialog is part of the URL (`?do=restart&on=<client id>`). */
export function ServiceActions({ detail: { service, nodes } }: { detail: ServiceDetail }) {
  const project = useProject();
  const can = useCan();
  const url = useUrlState();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const [isDeleting, setDeleting] = useState(false);
  const operation = findOperation(url.get('do'));
  const chosenFirst = url.all('on');
  const isDeployed = nodes.some(({ deployed }) => deployed);
  const isWaiting = nodes.length === 0 || nodes.some(({ deployed }) => !deployed);

  const remove = async () => {
    await call(routes.service.remove, { params: { service_id: service.id }, query: { project: project.id } });
    await invalidate(queryClient, routes.service.list);
    sayDone(`Service ${service.name} is deleted.`);
    await navigate({ to: '/p/$project/services', params: { project: project.name } });
  };

  return (
    <>
      <OperationMenu
        label="Actions"
        without={isWaiting ? ['deploy'] : []}
        hasNodes={isDeployed}
        onChoose={({ id }) => url.set({ do: id, on: undefined }, 'push')}
        more={
          can(routes.service.remove) && (
            <Menu.Item color="red.9" onClick={() => setDeleting(true)}>
              Delete the service …
            </Menu.Item>
          )
        }
      />
      {isWaiting && <Button onClick={() => url.set({ do: 'deploy', on: undefined }, 'push')}>Deploy</Button>}
      <OperationDialog
        order={
          operation && {
            operation,
            targets: [{ id: service.id, name: service.name, version: service.version, nodes }],
            ...(chosenFirst.length > 0 && { chosenFirst }),
          }
        }
        onClose={() => url.set({ do: undefined, on: undefined })}
      />
      <Confirm
        opened={isDeleting}
        title={`Delete ${service.name}`}
        action="Delete"
        isDangerous
        onConfirm={remove}
        onClose={() => setDeleting(false)}
      >
        {isDeployed
          ? `It is deployed to ${tellClients(nodes)}: the controller will refuse. Undeploy it there first.`
          : 'The service, its history and its configuration errors are gone for good. The documents and policies that it uses stay.'}
      </Confirm>
    </>
  );
}

const NAMED = 5;

function tellClients(nodes: ServiceDetail['nodes']): string {
  const names = nodes.filter(({ deployed }) => deployed).map(({ client_name }) => client_name);
  const rest = names.length - NAMED;
  return names.slice(0, NAMED).join(', ') + (rest > 0 ? ` and ${rest} more clients` : '');
}
