import { specOf } from '@flotilla/contract';
import { Button, Group, Stack } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError, call, invalidate, routes } from '../../../api/index.ts';
import { ServiceEditLink } from '../../../app/links.tsx';
import { useProject } from '../../../app/project.tsx';
import { texts } from '../../../texts/index.ts';
import { Notice, Problem } from '../../../ui/index.ts';
import type { CommandResult } from '../types.ts';
import { AddClients, ChooseNodes } from './choose-clients.tsx';
import { Effect } from './effect.tsx';
import { countMissingAddresses } from './missing-addresses.ts';
import classes from './operation.module.css';
import type { OperationOrder, OperationTarget } from './operation-order.ts';
import { isRelease, type Operation, toCommandBody } from './operations.ts';
import { OrderProgress } from './order-progress.tsx';
import { isMoving } from './progress.ts';
import { VersionField } from './version-field.tsx';

const text = texts.services.operations.operationSteps;

/** Reads that every role may do. */
const SERVICE_READS = [routes.service.detail, routes.service.list, routes.fleet.service, routes.fleet.services];

export interface OperationStepsProps extends OperationOrder {
  readonly onClose: () => void;
}

/** Answer for one service: its targets, or why the whole command was refused. */
type Answer = { readonly target: OperationTarget } & (
  | { readonly results: readonly CommandResult[] }
  | { readonly error: unknown }
);

/** Selects nodes, explains the effect on connections, sends the command, and shows the outcome on each node. */
export function OperationSteps({ operation, targets, chosenFirst, onClose }: OperationStepsProps) {
  const project = useProject();
  const queryClient = useQueryClient();
  const [chosen, setChosen] = useState<Readonly<Record<string, readonly string[]>>>(() =>
    Object.fromEntries(targets.map((target) => [target.id, chooseFirst(operation, target, chosenFirst)])),
  );
  const [added, setAdded] = useState<readonly string[]>([]);
  const [version, setVersion] = useState('');
  const [answers, setAnswers] = useState<readonly Answer[]>();
  const [isBusy, setBusy] = useState(false);
  const [moving, setMoving] = useState<ReadonlySet<string>>(new Set());

  const noteMoving = (id: string, isStill: boolean) =>
    setMoving((before) => new Set(isStill ? [...before, id] : [...before].filter((one) => one !== id)));
  const single = targets.length === 1 ? targets[0] : undefined;
  const fitting = (target: OperationTarget) =>
    target.nodes.filter(({ deployed }) => operation.fits === 'any' || deployed);
  const idsOf = (target: OperationTarget) => [...(chosen[target.id] ?? []), ...(target === single ? added : [])];
  const total = targets.reduce((sum, target) => sum + idsOf(target).length, 0);
  const isReady = total > 0 && (operation.id !== 'version' || isRelease(version));

  const order = async () => {
    setBusy(true);
    const withNodes = targets.filter((target) => idsOf(target).length > 0);
    const given: Answer[] = await Promise.all(
      withNodes.map(async (target) => {
        try {
          const body = toCommandBody(operation, { serviceId: target.id, clientIds: idsOf(target), version });
          // Query commands return their result; longer ones are followed instead.
          const wait = operation.id === 'status' ? {} : { wait_ms: 0 };
          const answer = await call(routes.command.dispatch, { query: { project: project.id, ...wait }, body });
          return { target, results: answer.body.results };
        } catch (error) {
          return { target, error };
        }
      }),
    );
    setAnswers(given);
    setBusy(false);
    await invalidate(queryClient, routes.command.list, ...SERVICE_READS);
  };

  if (answers)
    return (
      <Stack gap="md">
        {answers.map((answer) => (
          <div key={answer.target.id}>
            {!single && (
              <strong>
                <bdi>{answer.target.name}</bdi>
              </strong>
            )}
            {'results' in answer ? (
              <OrderProgress
                serviceId={answer.target.id}
                serviceName={answer.target.name}
                type={specOf(operation.command).type}
                results={answer.results}
                onProgress={(progress) => noteMoving(answer.target.id, isMoving(progress))}
              />
            ) : (
              <Problem
                error={answer.error}
                what={answer.error instanceof ApiError ? text.failed : text.unknownOutcome}
              />
            )}
          </div>
        ))}
        <Group justify="flex-end" gap="xs">
          {moving.size > 0 && <span className={classes.aside}>{text.goesOnWhenClosed}</span>}
          {answers.every((answer) => 'error' in answer) && (
            <Button variant="default" onClick={() => setAnswers(undefined)}>
              {text.back}
            </Button>
          )}
          <Button onClick={onClose}>{text.close}</Button>
        </Group>
      </Stack>
    );
  return (
    <Stack gap="md">
      <Effect operation={operation} />
      {operation.id === 'version' && <VersionField value={version} onChange={setVersion} current={single?.version} />}
      {targets.map((target) => (
        <div key={target.id}>
          {fitting(target).length > 0 ? (
            <ChooseNodes
              label={single ? text.clients : target.name}
              nodes={fitting(target)}
              chosen={chosen[target.id] ?? []}
              onChange={(ids) => setChosen({ ...chosen, [target.id]: ids })}
            />
          ) : (
            !(single && operation.fits === 'any') && (
              <Notice tone="quiet" title={<bdi>{target.name}</bdi>}>
                {text.deployedNowhere}
              </Notice>
            )
          )}
          {operation.id === 'deploy' && <MissingAddresses target={target} chosen={idsOf(target)} />}
        </div>
      ))}
      {single && operation.fits === 'any' && (
        <AddClients
          label={single.nodes.length > 0 ? text.otherClients : text.clients}
          without={single.nodes.map(({ client_id }) => client_id)}
          chosen={added}
          onChange={setAdded}
        />
      )}
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onClose}>
          {texts.ui.confirm.cancel}
        </Button>
        <Button
          color={operation.isCutting ? 'red.9' : undefined}
          disabled={!isReady}
          loading={isBusy}
          onClick={() => void order()}
        >
          {texts.services.operations.submit(operation.label, total)}
        </Button>
      </Group>
    </Stack>
  );
}

function MissingAddresses({ target, chosen }: { target: OperationTarget; chosen: readonly string[] }) {
  const count = countMissingAddresses(target, chosen);
  if (count === 0) return null;
  return (
    <Notice tone="warn" title={text.addressMissing(count)}>
      {text.addressMissingText(target.clientListeners.join(', '))}{' '}
      <ServiceEditLink id={target.id} anchor="clients">
        {text.addAddresses}
      </ServiceEditLink>
    </Notice>
  );
}

/** All suitable clients; only connected ones for an operation that needs a connection. */
function chooseFirst(
  operation: Operation,
  { nodes }: OperationTarget,
  wanted: readonly string[] | undefined,
): readonly string[] {
  return nodes
    .filter(({ deployed }) => operation.fits === 'any' || deployed)
    .filter(({ client_id }) => wanted === undefined || wanted.includes(client_id))
    .filter(({ connected }) => operation.offline === 'later' || connected)
    .map(({ client_id }) => client_id);
}
