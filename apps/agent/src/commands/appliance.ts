import type { Result } from '@flotilla/kit';
import { SUPPORT_BUNDLE_LIMITS } from '@flotilla/proto/commands';
import { type BundleProblem, toBundleResult } from '../appliance/index.ts';
import type { CommandHandler, RunOptions } from './handler.ts';
import type { CommandOutcome } from './outcome.ts';

export const readApplianceStatus: CommandHandler = async (_, { host, signal }) => ({
  outcome: 'done',
  result: { supported: true, status: await host.appliance.status(signal) },
});

export const listBundles: CommandHandler = async (_, { host }) => ({
  outcome: 'done',
  result: { artifacts: (await host.appliance.bundles.list()).map(toBundleResult) },
});

/** The id of the command, without dashes, is the id of the bundle: a repeated command creates no second one. */
export const createBundle: CommandHandler = async ({ commandId }, { host }) => {
  const created = await host.appliance.bundles.create(commandId.replaceAll('-', ''));
  return conclude(created, (bundle) => ({ artifact: toBundleResult(bundle) }));
};

export const readBundle: CommandHandler = async (_, { host, payload }) => {
  const { offset = 0, length = SUPPORT_BUNDLE_LIMITS.chunkMax } = payload;
  const range = { offset: Number(offset), length: Number(length) };
  if (!isSize(range.offset) || !isSize(range.length)) return invalidRange();
  const read = await host.appliance.bundles.read(readId(payload), range);
  return conclude(read, ({ bundle, data, offset: at, isLast }) => ({
    artifact: toBundleResult(bundle),
    data: data.toString('base64'),
    offset: at,
    eof: isLast,
  }));
};

export const deleteBundle: CommandHandler = async (_, { host, payload }) => {
  const removed = await host.appliance.bundles.remove(readId(payload));
  return conclude(removed, (isRemoved) => ({ artifact_id: readId(payload), deleted: isRemoved }));
};

function conclude<T>(ended: Result<T, BundleProblem>, toResult: (value: T) => object): CommandOutcome {
  return ended.ok ? { outcome: 'done', result: toResult(ended.value) } : { outcome: 'refused', ...ended.error };
}

function readId({ artifact_id: id }: RunOptions['payload']): string {
  return typeof id === 'string' ? id : '';
}

function isSize(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}

function invalidRange(): CommandOutcome {
  return {
    outcome: 'refused',
    code: 'bundle.offset',
    message: 'offset and length must be whole numbers, not negative',
  };
}
