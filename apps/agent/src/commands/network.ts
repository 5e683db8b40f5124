import { err, type Result } from '@flotilla/kit';
import type { fleet } from '@flotilla/proto';
import {
  NETWORK_LIMITS,
  readPolicyOperations,
  readRouteOperations,
  readTableOperations,
  readTestTimeout,
} from '@flotilla/proto/commands';
import type { ChangeRecord } from '../network/change-folder.ts';
import {
  describeNetplan,
  describePolicies,
  describeRoutes,
  describeState,
  describeTables,
} from '../network/describe.ts';
import { pruneGenerations, readGenerations } from '../network/generations.ts';
import { checkDocument } from '../network/netplan-documents.ts';
import { type ChangeEnd, describeDisk, type Network } from '../network/network.ts';
import {
  type Order,
  planNetplanChange,
  planPolicyChange,
  planRouteChange,
  planTableChange,
} from '../network/plan-change.ts';
import type { Problem } from '../network/types.ts';
import type { CommandOutcome } from './outcome.ts';

interface NetworkCommand {
  readonly network: Network;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
  /** An earlier agent has begun it. */
  readonly isResumed: boolean;
  readonly onStep: (step: string, text: string) => void;
}

type Planner = (
  command: Pick<NetworkCommand, 'network' | 'payload'>,
  order: Order,
) => Promise<Result<ChangeRecord, Problem>>;

const PLANNERS: Readonly<Record<string, Planner>> = {
  SUB_ROUTE_MANAGE: async ({ network, payload }, order) => {
    const read = readRouteOperations(payload);
    return read.ok ? planRouteChange(network.settings, order, read.value) : refuse(read.error);
  },
  SUB_POLICY_MANAGE: async ({ network, payload }, order) => {
    const read = readPolicyOperations(payload);
    return read.ok ? planPolicyChange(network.settings, order, read.value) : refuse(read.error);
  },
  SUB_TABLE_MANAGE: async ({ network, payload }, order) => {
    const read = readTableOperations(payload);
    return read.ok ? planTableChange(network.settings, order, read.value) : refuse(read.error);
  },
  SUB_NETPLAN_APPLY: async ({ network, payload }, order) => {
    const { yaml_content: text } = toObject(payload.netplan_config);
    if (typeof text !== 'string' || Buffer.byteLength(text) > NETWORK_LIMITS.yamlMaxBytes)
      return refuse({ at: ['netplan_config', 'yaml_content'], message: 'must be a document of at most 32 KiB' });
    const checked = checkDocument(text);
    return checked.ok ? planNetplanChange(network.settings, order, checked.value) : checked;
  },
  SUB_NETPLAN_ROLLBACK: async ({ network, payload }, order) => {
    const known = await readGenerations(network.settings);
    const wanted =
      payload.generation === undefined
        ? known.at(-2)
        : known.find(({ generation }) => generation === payload.generation);
    if (wanted) return planNetplanChange(network.settings, order, wanted.yaml);
    const have = known.map(({ generation }) => generation).join(', ') || 'none';
    return err({
      code: 'network.no_generation',
      message: `there is no such earlier generation; this host has: ${have}`,
    });
  },
};

/** Runs a command that changes the network, or attends to one that an earlier agent has begun. */
export async function changeNetwork(command: fleet.Command, options: NetworkCommand): Promise<CommandOutcome> {
  const { network, payload, signal, isResumed, onStep } = options;
  const { commandId: id, subType } = command;
  const planner = PLANNERS[subType];
  const seconds = readTestTimeout(
    payload.test_timeout_seconds ?? toObject(payload.netplan_config).test_timeout_seconds,
  );
  if (!planner || seconds === undefined || !/^[0-9A-Za-z-]{1,64}$/.test(id))
    return { outcome: 'refused', code: 'network.invalid', message: 'the time of the test or the id is not allowed' };
  return network.exclusive(async () => {
    const context = { subType, seconds };
    if (isResumed) return toOutcome(await network.resume(id, { signal, onStep }), context);
    const record = await planner(options, { id, timeoutMs: seconds * 1000 }).catch((error: unknown) =>
      err(describeDisk(error)),
    );
    if (!record.ok) return { outcome: 'refused', ...record.error };
    const end = await network.run(record.value, { signal, onStep });
    if (!end.ok) return { outcome: 'refused', ...end.error };
    await pruneGenerations(network.settings);
    return toOutcome(end.value, context);
  });
}

function toOutcome(end: ChangeEnd, { subType, seconds }: { subType: string; seconds: number }): CommandOutcome {
  const safety_info = { test_mode: true, preserve_controller_connection: true, test_timeout_seconds: seconds };
  if (end.is === 'absent') {
    const message = 'the agent was restarted before the change began; the network is as before';
    return { outcome: 'failed', code: 'network.interrupted', message };
  }
  const { needsProof: _, ...summary } = end.summary;
  const result = { operation_type: subType, safety_info, ...summary };
  if (end.is === 'committed') {
    return {
      outcome: 'done',
      result: { ...result, message: 'the change is in effect and stored', rollback_triggered: false },
    };
  }
  const { code, message } = end.problem;
  return {
    outcome: 'failed',
    code,
    message: code === 'network.not_restored' ? message : `${message}; the network is as before`,
    result: { ...result, message, rollback_triggered: true, rollback_reason: code },
  };
}

const READERS = {
  SUB_NETPLAN_GET: describeNetplan,
  SUB_ROUTE_LIST: describeRoutes,
  SUB_POLICY_LIST: describePolicies,
  SUB_TABLE_LIST: describeTables,
  SUB_GET_NETWORK_STATE: describeState,
} as const;

export async function readNetwork(
  { subType }: fleet.Command,
  { network, payload }: Pick<NetworkCommand, 'network' | 'payload'>,
): Promise<CommandOutcome> {
  const read = READERS[subType as keyof typeof READERS];
  const answer = await read(network.settings, payload);
  if (!answer.ok) return { outcome: 'failed', ...answer.error };
  return { outcome: 'done', result: { operation_type: subType, ...answer.value } };
}

function refuse({ at, message }: { readonly at: ReadonlyArray<string | number>; readonly message: string }) {
  return err({ code: 'network.invalid', message: `${at.join('.')}: ${message}` });
}

function toObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
