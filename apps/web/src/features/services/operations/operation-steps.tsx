import { specOf } from '@flotilla/contract';
import { Button, Group, Stack } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError, call, invalidate, routes } from '../../../api/index.ts';
import { ServiceEditLink } from '../../../app/links.tsx';
import { useProject } from '../../../app/project.tsx';
import { Notice, Problem, useSending } from '../../../ui/index.ts';
import { texts as uiTexts } from '../../../ui/texts.tsx';
import type { CommandResult } from '../types.ts';
import { AddClients, ChooseNodes } from './choose-clients.tsx';
import { Effect } from './effect.tsx';
import { countMissingAddresses } from './missing-addresses.ts';
import classes from './operation.module.css';
import type { OperationOrder, OperationTarget } from './operation-order.ts';
import { isRelease, type Operation, toCommandBody } from './operations.ts';
import { OrderProgress } from './order-progress.tsx';
import { isMoving } from './progress.ts';
import { texts } from './texts.tsx';
import { UpgradeFields } from './upgrade-fields.tsx';
import { isUpgradeReady, limitTo, listWanted, type UpgradeValues } from './upgrade-values.ts';
import { VersionField } from './version-field.tsx';

const text = texts.operationSteps;

/** Queries that every role may send. */
const SERVICE_READS = [routes.service.detail, routes.service.list, routes.fleet.service, routes.fleet.services];

export interface OperationStepsProps extends OperationOrder {
  readonly onClose: () => void;
}

type Chosen = Readonly<Record<string, readonly string[]>>;

/** Answer for one service: its targets, or the reason why the whole command was refused. */
type Answer = { readonly target: OperationTarget } & (
  | { readonly results: readonly CommandResult[] }
  | { readonly error: unknown }
);

/** Selects nodes, explains the effect on connections, sends the command, and shows the outcome on each node. */
export function OperationSteps({ operation, targets: all, chosenFirst, onClose }: OperationStepsProps) {
  const { choose, added, setAdded, idsOf } = useChosenClients({ operation, targets: all, chosenFirst });
  const [version, setVersion] = useState('');
  const [upgrade, setUpgrade] = useState<UpgradeValues>({ from: listWanted(all)[0] ?? '', to: '', drain: '' });
  const targets = operation.id === 'upgrade' ? limitTo(upgrade.from, all) : all;
  const single = targets.length === 1 ? targets[0] : undefined;
  const [answers, setAnswers] = useState<readonly Answer[]>();
  const send = useSend(operation);
  const total = targets.reduce((sum, target) => sum + idsOf(target).length, 0);
  const order = async () => {
    const wanted = operation.id === 'upgrade' ? toOrder(upgrade) : { version };
    const orders = targets.map((target) => ({ target, clientIds: idsOf(target), ...wanted }));
    setAnswers(await send(orders.filter(({ clientIds }) => clientIds.length > 0)));
  };

  if (answers)
    return (
      <Outcome
        operation={operation}
        answers={answers}
        isSingle={single !== undefined}
        onBack={() => setAnswers(undefined)}
        onClose={onClose}
      />
    );
  return (
    <Stack gap="md">
      <Effect operation={operation} />
      {operation.id === 'version' && <VersionField value={version} onChange={setVersion} current={single?.version} />}
      {operation.id === 'upgrade' && <UpgradeFields targets={all} values={upgrade} onChange={setUpgrade} />}
      {targets.map((target) => (
        <div key={target.id}>
          <Nodes
            operation={operation}
            target={target}
            isSingle={target === single}
            chosen={idsOf(target).filter((id) => !added.includes(id))}
            onChange={(ids) => choose(target, ids)}
          />
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
      <OrderButtons
        operation={operation}
        total={total}
        isReady={total > 0 && isFilled(operation, { version, upgrade })}
        onOrder={order}
        onClose={onClose}
      />
    </Stack>
  );
}

interface Filled {
  readonly version: string;
  readonly upgrade: UpgradeValues;
}

function isFilled({ id }: Operation, { version, upgrade }: Filled): boolean {
  if (id === 'version') return isRelease(version);
  return id !== 'upgrade' || isUpgradeReady(upgrade);
}

function toOrder({ from, to, drain }: UpgradeValues) {
  return { from, version: to, drainTime: drain === '' ? undefined : Number(drain) };
}

interface OrderButtonsProps {
  readonly operation: Operation;
  /** Number of clients that get the command. */
  readonly total: number;
  readonly isReady: boolean;
  readonly onOrder: () => Promise<void>;
  readonly onClose: () => void;
}

function OrderButtons({ operation, total, isReady, onOrder, onClose }: OrderButtonsProps) {
  const sending = useSending();
  return (
    <Group justify="flex-end" gap="xs">
      <Button variant="default" onClick={onClose}>
        {uiTexts.confirm.cancel}
      </Button>
      <Button
        color={operation.isCutting ? 'red.9' : undefined}
        disabled={!isReady}
        loading={sending.isBusy}
        onClick={() => void sending.send(onOrder)}
      >
        {texts.submit(operation.label, total)}
      </Button>
    </Group>
  );
}

/** The clients for each service. Only a single service can get clients that it does not target. */
function useChosenClients({ operation, targets, chosenFirst }: OperationOrder) {
  const [chosen, setChosen] = useState<Chosen>(() =>
    Object.fromEntries(targets.map((target) => [target.id, chooseFirst(operation, target, chosenFirst)])),
  );
  const [added, setAdded] = useState<readonly string[]>([]);
  return {
    choose: (target: OperationTarget, ids: readonly string[]) => setChosen({ ...chosen, [target.id]: ids }),
    added,
    setAdded,
    idsOf: (target: OperationTarget) => [
      ...(chosen[target.id] ?? []).filter((id) => target.nodes.some(({ client_id }) => client_id === id)),
      ...(targets.length === 1 ? added : []),
    ],
  };
}

interface Order {
  readonly target: OperationTarget;
  readonly clientIds: readonly string[];
  /** For the operations that change the version. */
  readonly version: string;
  readonly from?: string;
  readonly drainTime?: number | undefined;
}

/** Sends one command for each service. An answer may be a refusal. */
function useSend(operation: Operation) {
  const project = useProject();
  const queryClient = useQueryClient();
  const sendOne = async ({ target, ...order }: Order): Promise<Answer> => {
    try {
      const body = toCommandBody(operation, { serviceId: target.id, ...order });
      // Query commands return their result at once; longer commands are followed instead.
      const wait = operation.id === 'status' ? {} : { wait_ms: 0 };
      const answer = await call(routes.command.dispatch, { query: { project: project.id, ...wait }, body });
      return { target, results: answer.body.results };
    } catch (error) {
      return { target, error };
    }
  };
  return async (orders: readonly Order[]) => {
    const answers = await Promise.all(orders.map(sendOne));
    void invalidate(queryClient, routes.command.list, ...SERVICE_READS);
    return answers;
  };
}

interface OutcomeProps {
  readonly operation: Operation;
  readonly answers: readonly Answer[];
  readonly isSingle: boolean;
  readonly onBack: () => void;
  readonly onClose: () => void;
}

function Outcome({ operation, answers, isSingle, onBack, onClose }: OutcomeProps) {
  const [moving, setMoving] = useState<ReadonlySet<string>>(new Set());
  const noteMoving = (id: string, isStill: boolean) =>
    setMoving((before) => new Set(isStill ? [...before, id] : [...before].filter((one) => one !== id)));
  return (
    <Stack gap="md">
      {answers.map((answer) => (
        <div key={answer.target.id}>
          {!isSingle && (
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
            <Problem error={answer.error} what={answer.error instanceof ApiError ? text.failed : text.unknownOutcome} />
          )}
        </div>
      ))}
      <Group justify="flex-end" gap="xs">
        {moving.size > 0 && <span className={classes.aside}>{text.goesOnWhenClosed}</span>}
        {answers.every((answer) => 'error' in answer) && (
          <Button variant="default" onClick={onBack}>
            {text.back}
          </Button>
        )}
        <Button onClick={onClose}>{text.close}</Button>
      </Group>
    </Stack>
  );
}

interface NodesProps {
  readonly operation: Operation;
  readonly target: OperationTarget;
  readonly isSingle: boolean;
  readonly chosen: readonly string[];
  readonly onChange: (ids: readonly string[]) => void;
}

function Nodes({ operation, target, isSingle, chosen, onChange }: NodesProps) {
  const fitting = target.nodes.filter(({ deployed }) => operation.fits === 'any' || deployed);
  if (fitting.length > 0)
    return (
      <ChooseNodes label={isSingle ? text.clients : target.name} nodes={fitting} chosen={chosen} onChange={onChange} />
    );
  if (isSingle && operation.fits === 'any') return null;
  return (
    <Notice tone="quiet" title={<bdi>{target.name}</bdi>}>
      {text.deployedNowhere}
    </Notice>
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

/** Returns all suitable clients, but only connected ones for an operation that needs a connection. */
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
