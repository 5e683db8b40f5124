import { failKeys, type KeysView, keyRoutes } from '@flotilla/contract';
import { publish } from '@flotilla/db';
import { implement, type Route } from '../../../platform/http/route.ts';
import { type Jobs, type JobType, toJobActor } from '../../../platform/jobs/index.ts';
import {
  describeKeys,
  type InstallationKeyring,
  KEYS_TOPIC,
  type MasterKey,
  parseMasterKey,
  SEALS_AFTER_MS,
} from '../../../platform/keyring/index.ts';
import type { ReencryptParams } from './reencrypt-job.ts';

interface KeyRouteDeps {
  readonly keyring: InstallationKeyring;
  readonly jobs: Jobs;
  readonly reencrypt: JobType<ReencryptParams>;
}

export function createKeyRoutes({ keyring, jobs, reencrypt }: KeyRouteDeps): Route[] {
  return [
    implement(keyRoutes.list, async (ctx): Promise<{ body: KeysView }> => {
      const master_from = keyring.source.kind === 'file' ? 'file' : 'environment';
      return { body: { ...(await describeKeys(ctx.db)), master_from } };
    }),
    implement(keyRoutes.rotate, (ctx, { body }) => {
      const given = body.which === 'master' ? checkMaster(keyring, body.master_key) : undefined;
      return ctx.write(async (tx) => {
        await publish(tx, KEYS_TOPIC, {}, ctx.now);
        if (body.which === 'master') {
          await keyring.addMasterKey(tx, { given, overlapS: body.overlap_s, isTrial: ctx.dryRun });
          ctx.afterCommit(() => keyring.takeMaster());
          return {
            reply: { body: { which: body.which, data_key: null, job: null } },
            audit: { type: 'key', name: 'master', changes: { which: body.which, overlap_s: body.overlap_s } },
          };
        }
        const id = await keyring.addDataKey(tx, SEALS_AFTER_MS);
        const job = await jobs.enqueue(tx, reencrypt, { params: { to: id }, project: null, actor: toJobActor(ctx) });
        ctx.afterCommit(() => keyring.refresh());
        return {
          reply: { body: { which: body.which, data_key: id, job }, location: `/api/v3/jobs/${job.id}` },
          audit: { type: 'key', id: String(id), name: 'data', changes: { which: body.which, data_key: id } },
        };
      });
    }),
  ];
}

function checkMaster({ source }: InstallationKeyring, text: string | undefined): MasterKey | undefined {
  if (source.kind === 'file') {
    if (text !== undefined) throw failKeys('keys.master_in_file');
    return undefined;
  }
  if (text === undefined) throw failKeys('keys.master_outside');
  try {
    return parseMasterKey(text);
  } catch (error) {
    // Describes the format error and never quotes the key.
    throw failKeys('keys.master_invalid', { reason: error instanceof Error ? error.message : 'it cannot be read' });
  }
}
